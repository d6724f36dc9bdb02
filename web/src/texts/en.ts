// All English texts of the pages. A translation is a file with the same names; the type checker
// reports missing ones.

const many = (n: number, one: string, more: string) => `${n} ${n === 1 ? one : more}`;

/** The numbers and names in a refusal. */
export type Values = Record<string, string | number>;

export const en = {
  tag: "en", // the language tag, for numbers
  language: "English",
  go: { skip: "Skip to the content", home: "homeroom, first page", switch: "Language" },
  title: {
    join: "Join a class",
    student: "Your lesson",
    write: "Write with the robot",
    teacher: "Teacher",
    letters: "Letters",
    report: "Report",
  },
  line: {
    away: "No connection. Your answers are saved, and the page reconnects by itself.",
    teacher_away: "No connection. What you see may be out of date; the page reconnects by itself.",
    back: "Connected again.",
    waiting: (n: number) => `${many(n, "answer is", "answers are")} waiting to be sent.`,
  },
  trouble: {
    unreachable: "The server cannot be reached. Please try again in a moment.",
    not_found: "There is nothing here. It may have been deleted.",
    other: "That did not work.",
    try_again: "Try again",
  },
  // The refusals of the server, by code, with the values that it sends.
  refused: {
    activity_gone: "The activity of this class has been deleted.",
    activity_in_use: (v: Values) =>
      `The class ${v.name} uses this activity. Delete the class first.`,
    activity_stays: "This activity is built in and cannot be deleted.",
    class_full: (v: Values) => `This class is full: it has ${v.most} students.`,
    class_ended: "This class has ended. Ask your teacher for the code of another one.",
    class_name: (v: Values) => `Please give the class a name of up to ${v.most} characters.`,
    class_too_large: (v: Values) =>
      `A class can have up to ${v.most} students, but this would make ${v.students}.`,
    code_in_use: "Another class already has this code. Please try again.",
    days: (v: Values) => `Data can be kept for 1 to ${v.most} days.`,
    door_closed: "The class is locked: no new students can join. Ask your teacher to unlock it.",
    empty_name: "Please enter a name with at least one letter.",
    failed: "Something went wrong on the server. Please try again.",
    few_items: (v: Values) =>
      `An activity needs at least ${v.fewest} items, but this one has ${v.items}.`,
    file_twice: (v: Values) => `There are several files called “${v.name}”. Keep only one of them.`,
    folder_files: (v: Values) =>
      `${v.place} has ${v.files} files, but no more than ${v.most} are allowed.`,
    folder_unreadable: (v: Values) => `${v.place} cannot be read: ${v.why}.`,
    foreign_page: "This page does not belong to the server. Please open the server's own address.",
    goal: "The goal must be greater than 0.",
    item_not_usable: (v: Values) =>
      `${v.item} cannot be shown: its label is unknown or does not fit the rule.`,
    item_twice: (v: Values) =>
      `The item “${v.item}” is in the table twice. Each item needs its own name.`,
    join_first: "Please join a class first.",
    lam: "The weight must be 0 or more.",
    lesson_begun: "The lesson has already started. Create a new class to start over.",
    lesson_first: "Items can be chosen during the lesson. Start it first.",
    letter_not_scored: "That was too little to score. Please write the whole letter.",
    letter_too_early: "Another letter comes first. Please reload the page.",
    letters_enough: (v: Values) => `You have written ${v.most} letters: enough for today!`,
    list_lines: (v: Values) =>
      `The class list has ${v.lines} lines, but no more than ${v.most} are allowed. Leave some out.`,
    long_name: (v: Values) =>
      `A name can have up to ${v.most} characters. Please choose a shorter one.`,
    map_unreadable: (v: Values) => `The map cannot be read. ${v.why}`,
    name_taken: (v: Values) =>
      `Someone in this class is already called ${v.name}. Please choose another name.`,
    names_in_file: (v: Values) =>
      `A class can have up to ${v.most} students, but the file has ${v.names} names.`,
    no_activity: "This activity does not exist. It may have been deleted.",
    no_answer: "This answer does not exist.",
    no_class: "This class does not exist. It may have been deleted.",
    no_example_now: "No example is being shown at the moment.",
    no_grouping: "The class cannot be split this way.",
    no_ink: "The drawing could not be read. Please try again.",
    no_item: (v: Values) => `The activity has no item “${v.item}”.`,
    no_map:
      "There are too few answers to the pre-test to make a map: more students must answer it.",
    no_names: "The file contains no names. It needs a column “name”.",
    no_phase: "This step does not exist.",
    no_picture: "This picture does not exist.",
    no_student: "This student is not in the class.",
    no_such_call: "This page does not exist or is out of date. Please reload it.",
    no_tests: "A class that writes letters has no tests.",
    no_way: "According to the estimates so far, no split of the class reaches the goal.",
    not_asked: "This question is not being asked now.",
    not_readable: "The data could not be read. Please try again.",
    not_understood: "Something is missing, too long or not valid. Please check your entries.",
    not_writing_now: "The class is not writing at the moment. It continues soon.",
    nothing_known: "Nothing is known about the class yet. Start the pre-test or the lesson first.",
    nothing_to_teach: "No item has a label that fits the rule to be taught.",
    nothing_written: "This class does not write letters.",
    old_link: "This link is no longer valid. Use the one that the server printed last.",
    one_table: (v: Values) =>
      `An activity is one table (.csv) with its pictures, but there are ${v.tables} tables.`,
    option_missing: (v: Values) =>
      `The label “${v.label}” of the item “${v.item}” is not one of its options.`,
    password_chosen: "A password has already been chosen. Sign in with it.",
    password_length: (v: Values) =>
      `A password has ${v.shortest} to ${v.longest} characters; this one has ${v.letters}.`,
    passwords_busy: "Too many passwords are being checked. Please try again in a few seconds.",
    paused: "The class is paused. It continues soon.",
    picture_kind: (v: Values) => `${v.name} is not a PNG, JPEG, GIF or WebP picture.`,
    picture_large: (v: Values) =>
      `${v.name} has ${v.size} MiB, but no more than ${v.most} MiB are allowed. Make it smaller.`,
    picture_missing: (v: Values) =>
      `The picture “${v.picture}”, which the table names, is missing.`,
    picture_pixels: (v: Values) =>
      `${v.name} has more than ${v.most} million pixels. Make it smaller.`,
    pictures_large: (v: Values) =>
      `The pictures have more than ${v.most} MiB in total. Make them smaller.`,
    pretest_first:
      "The map of this activity is made from the pre-test, which has no answers yet. Start the pre-test first.",
    removed: "Your teacher has removed you from this class.",
    roster_all_gone:
      "Every class in classes.csv is marked as deleted. Make a new export, or leave out classes.csv and enrollments.csv to import all students.",
    roster_classes: (v: Values) => `The export has ${v.classes} classes. Choose one of them.`,
    roster_columns: (v: Values) =>
      `${v.name} has no column “${v.column}”. Is it from an export of OneRoster?`,
    roster_empty_class: (v: Values) =>
      `No student is enrolled in the class “${v.title}”. Choose another one.`,
    roster_half: (v: Values) =>
      `There is no ${v.missing}. Send classes.csv and enrollments.csv together to choose a class, or neither to import all students.`,
    roster_lines: (v: Values) =>
      `${v.name} has ${v.lines} lines, but no more than ${v.most} are allowed. Leave some out.`,
    roster_long_name: (v: Values) =>
      `A name may have up to ${v.most} letters, but “${v.name}” has more.`,
    roster_many_classes: (v: Values) =>
      `classes.csv has more than ${v.most} classes. Leave some out.`,
    roster_no_class: (v: Values) => `There is no class “${v.chosen}” in this file. Choose again.`,
    roster_no_users: "There is no users.csv. Is this an export of OneRoster?",
    roster_nobody:
      "According to enrollments.csv, no user in users.csv is a student of any class. Make a new export, or leave out classes.csv and enrollments.csv to import all students.",
    roster_roles:
      "This users.csv of OneRoster 1.2 does not state which users are students. Send the zip with its roles.csv.",
    roster_unreadable: "The file cannot be read. Save the list as CSV.",
    round_over: (v: Values) => `Round ${v.round} is over.`,
    seat_code: "This code is not valid, or no longer valid. Ask your teacher for a new one.",
    several_pictures: (v: Values) =>
      `Several pictures match “${v.picture}”. Name one in the column “picture”, such as “${v.example}”.`,
    sign_in_first: "Please sign in again.",
    strokes: "That was too much ink for one letter. Please start again.",
    table_cell: (v: Values) =>
      `${v.name} has more than ${v.most} characters in a cell of line ${v.line}.`,
    table_columns: (v: Values) =>
      `${v.name} must have the columns “item” and “label”, but has ${v.columns}.`,
    table_empty: (v: Values) =>
      `${v.name} is empty. Its first line must name the columns “item” and “label”.`,
    table_item: (v: Values) =>
      `${v.name} has no item in line ${v.line}, or its name is longer than ${v.most} characters.`,
    table_items: (v: Values) =>
      `${v.name} has ${v.items} items, but no more than ${v.most} are allowed.`,
    table_large: (v: Values) =>
      `${v.name} has more than ${v.most} MiB: it is not a table of items.`,
    table_no_text: (v: Values) => `${v.name} is not a text file. Save the table as CSV (UTF-8).`,
    table_options: (v: Values) =>
      `${v.name} must have 2 to ${v.most} different options of up to ${v.longest} characters in line ${v.line}, or none.`,
    table_place: (v: Values) =>
      `${v.name} has “${v.place}” as a place in line ${v.line}, but a number is expected.`,
    table_unreadable: (v: Values) => `${v.name} cannot be read. Save the table as CSV (UTF-8).`,
    test_length: (v: Values) => `A test asks 1 to ${v.most} items.`,
    too_large: (v: Values) => `That is too large: up to ${v.most} MB can be sent.`,
    too_many_came:
      "Too many students have joined from this network at once. Please wait a minute, then try again.",
    too_many_groups: (v: Values) =>
      `That would be ${v.groups} groups, but a class can have at most ${v.most}.`,
    too_often: "Too many attempts. Please wait a minute, then try again.",
    two_labels: (v: Values) =>
      `The table must have at least two different labels, but has: ${v.labels}.`,
    wrong_code: "No class has this code. Please check it on the board.",
    wrong_password: "That is not the password.",
    you_left: "You have left this class. Please join it again.",
    zip_files: (v: Values) =>
      `The zip file has ${v.files} files, but no more than ${v.most} are allowed.`,
    zip_large: (v: Values) =>
      `The zip file is too large (“${v.name}”): up to ${v.file} MiB per file and ${v.most} MiB in total are allowed.`,
    zip_link: (v: Values) => `The zip file contains a link, “${v.name}”. Include the file itself.`,
    zip_locked: "The zip file is protected by a password. Create one without.",
    zip_outside: (v: Values) => `The zip file contains a path that leads outside: “${v.name}”.`,
    zip_packed: "The zip file uses an unusual compression. Create an ordinary one.",
    zip_unreadable: "The zip file cannot be read.",
  },
  join: {
    welcome: "Join your class",
    lead: "Enter the code that your teacher shows.",
    code: "Code",
    code_hint: "Six letters and digits",
    nickname: "First name or nickname",
    nickname_hint: "Your teacher sees it, and so may the class, on the board.",
    join: "Join",
    joining: "Joining …",
    teacher: "For teachers",
    go_on: (name: string) => `Continue as ${name}`,
    someone_else: "or join as someone else:",
    seat_hint: "This code takes you back to your own seat.",
    take_seat: "Back to my seat",
  },
  student: {
    hello: (name: string) => `Hello, ${name}!`,
    soon: "You are in. Your teacher will start soon.",
    paused: "Your teacher has paused the lesson. It continues soon.",
    pretest: "First, some questions to see what you already know. There are no marks.",
    posttest: "Final questions: what do you know now?",
    round: (n: number) => `Round ${n}`,
    either: (one: string, other: string) => `${one} or ${other}?`,
    which: "Which one is it?",
    picture: "The picture to look at",
    sending: "Sending your answer …",
    wait: "Waiting for the others.",
    left: (n: number) => (n === 1 ? "The last question" : `${n} questions left`),
    all_answered: "That was the last question. Waiting for the others.",
    over: "The lesson is over. Your teacher will continue soon.",
    next_soon: "The next question comes in a moment.",
    right: "That is right!",
    wrong: "Not quite.",
    it_is: "It is:",
    go_on: "Next question",
    too_late: "Your last answer came too late and does not count. The class has moved on.",
    before: "You had already answered this question on another page. That answer counts.",
    last_right: "The last one was right:",
    last_wrong: "The last one was:",
    done: "That was the lesson. Well done!",
    done_lead: "You may close this page now.",
    progress: "Your progress",
    answered: (n: number) => many(n, "answer", "answers"),
    right_share: (right: number, of: number) => `${right} of ${of} right`,
    group: (name: string) => `Group ${name}`,
    leave: "Leave the class",
    leave_sure: "Leave the class? You would have to join again with the code.",
    unknown: "You are not in a class at the moment.",
    to_join: "Join a class",
    removed: "You are no longer in this class.",
    removed_lead: "Your teacher has removed you. If that was a mistake, join again with the code.",
  },
  write: {
    robot: "The robot's letter",
    yours: "Your letter",
    robot_writes: "Watch: the robot is writing.",
    your_turn: (letter: string) => `Now you! Write the letter “${letter}”, as nicely as you can.`,
    correct: (letter: string) => `Show the robot how to write “${letter}” better.`,
    again: "Watch again",
    clear: "Start again",
    done: "Show it to the robot",
    looking: "The robot is looking at your letter …",
    sheet: "Sheet to write on, with pen, finger or mouse",
    robot_sheet: (letter: string) => `The letter ${letter}, written by the robot`,
    empty: "Write something first.",
    kept: "No connection. Your letter is saved; try again in a moment.",
    soon: "The robot is sharpening its pencil. Your teacher will start soon.",
    finished: "All letters are written. The robot says thank you!",
    next: "You wrote it. Look what has grown!",
    go_on: "Next letter",
    letter_number: (n: number) => `Letter ${n}`,
    scores: {
      distortion: "Shape",
      rotation: "Upright",
      shakiness: "Smooth line",
    } as Record<string, string>,
    words: ["keep going", "getting there", "nearly there", "wonderful"],
  },
  // Texts of built-in activities, by the codes of answers and species.
  answers: { yes: "yes", no: "no" } as Record<string, string>,
  insects: {
    name: "Butterflies and moths",
    question: "Is it a butterfly or a moth?",
    labels: { butterfly: "butterfly", moth: "moth" } as Record<string, string>,
    species: {
      cmoth: "caterpillar moth",
      tmoth: "tiger moth",
      rbfly: "ringlet butterfly",
      pbfly: "peacock butterfly",
    } as Record<string, string>,
    because: {
      cmoth:
        "This caterpillar moth is a moth: its antennae are feathered and its wings are narrow.",
      tmoth: "This tiger moth is a moth: its antennae are feathered and its wings are narrow.",
      rbfly:
        "This ringlet butterfly is a butterfly: its antennae end in clubs and its wings are broad.",
      pbfly:
        "This peacock butterfly is a butterfly: its antennae end in clubs and its wings are broad.",
    } as Record<string, string>,
  },
  letter: (letter: string) => `The letter ${letter}`,
  phase: {
    lobby: "Join",
    pretest: "Pre-test",
    teach: "Lesson",
    posttest: "Post-test",
    done: "End",
  },
  start: {
    lobby: "Back to joining",
    pretest: "Start the pre-test",
    teach: "Start the lesson",
    posttest: "Start the post-test",
    done: "End the lesson",
  },
  teacher: {
    first: "Choose a password",
    first_lead:
      "This is the first start. Anyone who knows the password can see and delete every class.",
    first_link:
      "Open the link that the server printed when it started; it lets you choose the first password.",
    password: "Password",
    repeat: "Repeat the password",
    differ: "The two passwords are different.",
    short: "Please use at least eight characters.",
    save: "Save and continue",
    sign_in: "Sign in",
    sign_in_lead: "Students need no account: they join with a code on the first page.",
    sign_out: "Sign out",
    classes: "Classes",
    no_classes: "No classes yet. Create one below.",
    new_class: "Create a class",
    name: "Name of the class",
    name_example: "for example: 4b, Tuesday",
    activity: "Activity",
    goal: "When is the class done?",
    goals: {
      roughly: "when it knows it roughly",
      well: "when it knows it well",
      very_well: "when it knows it very well",
    },
    keep: "How long data is kept",
    days: (n: number) => `${many(n, "day", "days")} after the last answer`,
    make: "Create the class",
    activities: "Activities",
    items: (n: number) => many(n, "item", "items"),
    students: (n: number) => many(n, "student", "students"),
    built_in: "built in",
    quiz: "Quiz",
    writing: "Handwriting",
    upload: "Add an activity",
    upload_lead:
      "A zip file with a table and its pictures, or the table and the pictures by themselves.",
    upload_columns:
      "The table is a CSV file with one line per item. Its columns are “item” (a name), “label” (the right answer), “picture” (a file name) or “text”, and optionally “explanation”, “question”, and “options” (the answers to this item, separated by |).",
    upload_name: "Name of the activity",
    upload_question: "Question (optional)",
    upload_question_example: "for example: Is it a butterfly or a moth?",
    letters: (n: number) => many(n, "letter", "letters"),
    files: "Files",
    send: "Add it",
    sending: "Sending …",
    added: (name: string) => `${name} was added.`,
    delete: "Delete",
    delete_activity: (name: string) => `Delete the activity ${name}?`,
  },
  lesson: {
    back: "All classes",
    join_at: "Join at",
    code: "Code",
    qr: "QR code with the link to join",
    copy: "Copy the link",
    copied: "Copied",
    roster: "Import a class list",
    roster_lead:
      "A CSV file with one name per line, or a OneRoster export: the zip, or users.csv with roles.csv, classes.csv and enrollments.csv.",
    roster_class: "Class",
    roster_choose: "Choose a class",
    roster_of: (title: string, n: number) => `${title} (${many(n, "student", "students")})`,
    roster_import: "Import this class",
    lock: "Lock the class",
    unlock: "Unlock the class",
    locked: "The class is locked: no new students can join.",
    imported: (n: number) => `${many(n, "name", "names")} imported.`,
    here: (here: number, all: number) => `${here} of ${all} here`,
    no_students: "No students have joined yet.",
    answered: (n: number, of: number) => `${n} of ${of} have answered`,
    through: (n: number, of: number) => `${n} of ${of} have finished`,
    pause: "Pause",
    resume: "Resume",
    skip: "Skip this example",
    close_round: "Continue without waiting",
    paused: "Paused",
    round: (n: number) => `Round ${n}`,
    stalled: {
      store:
        "The class cannot continue: the server cannot store anything at the moment. It keeps trying. Check its disk or database.",
      failed:
        "The class cannot continue: something failed on the server. It keeps trying. The server's log has the details.",
    },
    continues: "The class continues.",
    finished: {
      goal: "The class has reached its goal.",
      stuck: "No example would help the class any further.",
      rounds: "The class has seen the maximum number of examples.",
      diverged: "The examples moved the class away from the goal.",
      rounding: "Rounding errors are too large to say whether the goal is reached.",
      no_students: "No students are here.",
    } as Record<string, string>,
    steps: "Steps of the lesson",
    end_sure: "End the lesson? Students can no longer answer after that.",
  },
  names: {
    hide: "Hide names",
    show: "Show names",
    hidden: "Names are hidden on this device; the report and the exports still have them.",
    number: (n: number) => `Student ${n}`,
  },
  map: {
    title: "Class map",
    about:
      "The items, and the estimated state of each student. The ellipse shows how certain the estimate is.",
    described: (students: number, items: number) =>
      `Map of ${many(items, "item", "items")} and ${many(students, "student", "students")}; the same numbers are in the table of students.`,
    target: "correct boundary",
    states: "students",
    ellipses: "uncertainty",
    items: "items",
    next: "example of this round",
    goal: "goal for all students",
    show_next: "Show this one next",
    close: "Close",
    empty: "The map appears with the first answers.",
  },
  errors: {
    title: "Progress of the class",
    about: "Mean squared distance to the goal state. Hatched: the part that is uncertainty.",
    round: "Round",
    goal: "Goal",
    described: (total: string, unsure: string, round: number) =>
      `After round ${round}: distance ${total}, of which ${unsure} is uncertainty.`,
    empty: "The curve begins with the lesson.",
  },
  next: {
    title: "Example of this round",
    why: "Why this one?",
    none: "An example is chosen as soon as the answers are in.",
    over: "The lesson is over: there is no next example.",
    last: "Last example",
    because: (wrong: number, of: number, off: string) =>
      `About ${wrong} of ${of} would get it wrong, and no other item reduces the distance more: by ${off}.`,
    because_few: (off: string) =>
      `Almost no one would get it wrong, but no other item reduces the distance more: by ${off}.`,
    wrong: (wrong: number, of: number) =>
      wrong > 0
        ? `About ${wrong} of ${of} would get it wrong.`
        : "Almost no one would get it wrong.",
    chosen: "You chose it.",
    instead: "Show another item instead",
    choose: "Choose an item",
    show: "Show it",
    wish: "The item you chose",
    for: (group: string) => `For group ${group}`,
  },
  table: {
    title: "Students",
    name: "Name",
    here: "here",
    away: "away",
    now: "This round",
    test: "Test",
    answered: "answered",
    through: "finished",
    missing: "not yet",
    right: "Knows",
    right_long: "The chance that the next answer is right, with its probable range",
    band: (middle: string, low: string, high: string) => `${middle}, between ${low} and ${high}`,
    group: "Group",
    rate: "Learns",
    rates: {
      slow: "slowly",
      middling: "steadily",
      fast: "fast",
      "stands still": "no progress",
      "not known yet": "not known yet",
    } as Record<string, string>,
    absent: "has not joined yet",
    guessing: "may be clicking without reading",
    more: "More",
    close: "Close",
    seat: "Give the seat back",
    seat_lead:
      "For a student with a new phone or a cleared browser: a code that works once. It signs the old phone out.",
    seat_how: (name: string, minutes: number) =>
      `${name} enters this code instead of the class code, or scans it. It works once, within ${many(minutes, "minute", "minutes")}.`,
    seat_qr: "QR code with the link to the seat",
    wait: "Do not wait",
    wait_lead: "The student counts as away until they open the page again.",
    remove: "Remove",
    remove_lead: "The student's answers no longer count, and the name is free again.",
    remove_sure: (name: string) =>
      `Remove ${name} from the class? Their answers will no longer count. This cannot be undone.`,
    several: "Remove several",
    silent: "Select all who never answered",
    several_remove: (n: number) => `Remove ${many(n, "student", "students")}`,
    several_sure: (n: number) =>
      `Remove ${many(n, "student", "students")} from the class? Their answers will no longer count. This cannot be undone.`,
    unknown: "not known yet",
  },
  groups: {
    title: "Groups",
    about: "With more groups, you show more examples and each student sees fewer.",
    whose: "Whose time counts more?",
    yours: "yours",
    students: "the students'",
    way: (together: number, alone: number) => {
      const parts = [
        together > 0 ? many(together, "group", "groups") : "",
        alone > 0 ? `${many(alone, "student", "students")} alone` : "",
      ];
      return parts.filter((part) => part !== "").join(" and ");
    },
    whole: "the whole class together",
    cost: (rounds: number, workload: string) =>
      `You show ${many(rounds, "example", "examples")}; a student sees ${workload} on average.`,
    now: "now",
    regroup: "Regroup like this",
    together: "All together",
    teacher_axis: "examples you show",
    student_axis: "examples a student sees",
    none: "There is nothing to choose yet: the class must answer a few questions first.",
    reached: "The class has probably reached the goal: there is no need to split it.",
    described: (n: number) => `${many(n, "way", "ways")} to split the class.`,
    done: "The class has new groups.",
  },
  data: {
    title: "Data",
    csv: "Answers as CSV",
    json: "Everything as JSON",
    xapi: "xAPI statements",
    report: "Printable report",
    kept: (days: number) =>
      `Kept on this server for ${many(days, "day", "days")} after the last answer, then deleted.`,
    delete: "Delete this class and all its data",
    delete_title: "Delete the class?",
    delete_sure: (name: string) =>
      `All names, answers and letters of ${name} are deleted from this server at once. This cannot be undone.`,
    cancel: "Cancel",
    yes: "Delete for good",
  },
  report: {
    print: "Print",
    days: (first: string, last: string) => `${first} to ${last}`,
    students: "students",
    examples: "examples shown",
    letters: "letters written",
    before: "right before the lesson",
    after: "right after the lesson",
    about: "After every round. Hatched: the part that is uncertainty.",
    falls: (from: string, to: string) => `The distance changes from ${from} to ${to}.`,
    distance: "Distance",
    answers: "Answers",
    right: "Right",
    band: (low: string, high: string) => `${low} to ${high}`,
    estimate:
      "What students know is estimated from their answers; the range shows how certain the estimate is.",
    shown: "Examples, and why they were chosen",
    example: "Example",
    why: "Why",
    skipped: "Skipped.",
    cut_short: "Cut short by the next phase.",
    first: "First letter",
    last: "Last letter",
    number: "Letters",
    words: "The words compare a letter with the model. They are never a diagnosis.",
    no_students: "No students have joined this class.",
  },
  all_data: {
    title: "Data of all classes",
    about:
      "Everything stays on this server: names or nicknames, answers and letters. Nothing is sent elsewhere.",
    delete: "Delete all classes and all their data",
    delete_title: "Delete everything?",
    delete_sure: (n: number) =>
      `All names, answers and letters of ${many(n, "class", "classes")} are deleted from this server at once. Activities stay. This cannot be undone.`,
  },
  letters: {
    title: "Letters",
    open: "Letters on a separate page",
    about: "The newest is last. The lines show how close the letters are to the model.",
    none: "No letters yet.",
    back: "Back to the class",
    model: "The model",
    try: (n: number) => `try ${n}`,
    of: (name: string, n: number) => `${name}, try ${n}`,
    trend: (name: string) => `How close the letters of ${name} are to the model, over time`,
    close: "close to the model",
  },
};

export type Texts = typeof en;
