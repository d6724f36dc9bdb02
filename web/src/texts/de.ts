// Alle Texte der Seiten auf Deutsch, mit denselben Namen wie in en.ts. Fehlende meldet der Type-Checker.

import type { Texts } from "./en.ts";

const many = (n: number, one: string, more: string) => `${n} ${n === 1 ? one : more}`;

export const de: Texts = {
  tag: "de",
  language: "Deutsch",
  go: { skip: "Zum Inhalt springen", home: "homeroom, erste Seite", switch: "Sprache" },
  title: {
    join: "Einer Klasse beitreten",
    student: "Deine Stunde",
    write: "Schreib mit dem Roboter",
    teacher: "Lehrkraft",
    letters: "Buchstaben",
    report: "Bericht",
    editor: "Aktivität",
    history: "Stunden",
  },
  line: {
    away: "Keine Verbindung. Deine Antworten sind gespeichert, die Seite verbindet sich von selbst neu.",
    teacher_away:
      "Keine Verbindung. Die Anzeige kann veraltet sein; die Seite verbindet sich von selbst neu.",
    back: "Wieder verbunden.",
    waiting: (n) => `${many(n, "Antwort wartet", "Antworten warten")} darauf, gesendet zu werden.`,
  },
  trouble: {
    unreachable: "Der Server ist gerade nicht erreichbar. Bitte gleich noch einmal versuchen.",
    not_found: "Hier ist nichts. Vielleicht wurde es gelöscht.",
    other: "Das hat nicht geklappt.",
    try_again: "Noch einmal",
  },
  refused: {
    activity_gone: "Die Aktivität dieser Klasse wurde gelöscht.",
    activity_in_use: (v) =>
      `Die Klasse ${v.name} benutzt diese Aktivität. Bitte zuerst die Klasse löschen.`,
    activity_mapped:
      "Die Aufgaben dieser Aktivität haben Plätze auf einer Karte. Ändern Sie stattdessen ihre Tabelle und fügen Sie sie neu hinzu.",
    activity_stays: "Diese Aktivität ist eingebaut und lässt sich nicht löschen.",
    backup_code: (v) =>
      `Die Klasse „${v.name}“ der Sicherung hat den Code ${v.joining}, den die Klasse „${v.other}“ verwendet. Löschen Sie zuerst diese.`,
    backup_damaged: "Die Sicherung ist beschädigt. Es wurde nichts hinzugefügt.",
    backup_large: "Die Sicherung ist zu groß.",
    backup_newer:
      "Diese Sicherung stammt von einem neueren homeroom. Installieren Sie zuerst diese Version.",
    backup_unreadable: "Diese Datei ist keine Sicherung von homeroom.",
    class_full: (v) => `Diese Klasse ist voll: ${v.most} sind schon dabei.`,
    class_ended: "Diese Klasse ist beendet. Frag deine Lehrkraft nach dem Code einer anderen.",
    class_name: (v) => `Bitte geben Sie der Klasse einen Namen mit bis zu ${v.most} Zeichen.`,
    class_too_large: (v) =>
      `Eine Klasse hat höchstens ${v.most} Lernende, aber so wären es ${v.students}.`,
    code_in_use: "Eine andere Klasse hat diesen Code schon. Bitte noch einmal versuchen.",
    days: (v) => `Daten können 1 bis ${v.most} Tage bleiben.`,
    door_closed:
      "Die Klasse ist gesperrt: Niemand Neues kann beitreten. Bitte deine Lehrkraft, sie zu entsperren.",
    empty_name: "Bitte schreib einen Namen mit mindestens einem Buchstaben.",
    failed: "Auf dem Server ist etwas schiefgegangen. Bitte noch einmal versuchen.",
    few_items: (v) =>
      `Eine Aktivität braucht mindestens ${v.fewest} Beispiele, aber diese hat ${v.items}.`,
    file_twice: (v) => `Es gibt mehrere Dateien „${v.name}“. Bitte alle bis auf eine weglassen.`,
    folder_files: (v) =>
      `${v.place} hat ${v.files} Dateien, aber höchstens ${v.most} sind erlaubt.`,
    folder_unreadable: (v) => `${v.place} lässt sich nicht lesen: ${v.why}.`,
    foreign_page: "Diese Seite gehört nicht zum Server. Bitte die Adresse des Servers öffnen.",
    goal: "Das Ziel muss über 0 liegen.",
    item_not_usable: (v) =>
      `${v.item} lässt sich nicht zeigen: Was richtig ist, ist unbekannt oder passt nicht zur Regel.`,
    item_twice: (v) =>
      `Das Beispiel „${v.item}“ steht zweimal in der Tabelle. Jedes braucht einen eigenen Namen.`,
    join_first: "Bitte tritt zuerst einer Klasse bei.",
    lam: "Das Gewicht muss 0 oder mehr sein.",
    lesson_begun:
      "Die Stunde hat schon begonnen. Für einen neuen Anfang bitte eine neue Klasse anlegen.",
    lesson_first: "Beispiele lassen sich während der Stunde wählen. Bitte zuerst beginnen.",
    lesson_not_over: "Die laufende Stunde ist noch nicht zu Ende. Beenden Sie sie zuerst.",
    letter_not_scored:
      "Das war zu wenig, um es zu beurteilen. Bitte schreib den ganzen Buchstaben.",
    letter_too_early: "Zuerst kommt ein anderer Buchstabe. Bitte die Seite neu laden.",
    letters_enough: (v) => `Du hast ${v.most} Buchstaben geschrieben: genug für heute!`,
    list_lines: (v) =>
      `Die Klassenliste hat ${v.lines} Zeilen, aber höchstens ${v.most} sind erlaubt. Bitte einige weglassen.`,
    long_name: (v) => `Ein Name darf bis zu ${v.most} Zeichen haben. Bitte nimm einen kürzeren.`,
    map_unreadable: () => "Die Karte lässt sich nicht lesen.",
    name_taken: (v) => `Hier heißt schon jemand ${v.name}. Bitte versuch einen anderen Namen.`,
    names_in_file: (v) =>
      `Eine Klasse hat höchstens ${v.most} Lernende, aber in der Datei stehen ${v.names} Namen.`,
    no_activity: "Diese Aktivität gibt es nicht. Vielleicht wurde sie gelöscht.",
    no_answer: "Diese Antwort gibt es nicht.",
    no_class: "Diese Klasse gibt es nicht. Vielleicht wurde sie gelöscht.",
    no_discussion: "Im Moment wird keine Lösung gezeigt.",
    no_example_now: "Gerade wird kein Beispiel gezeigt.",
    no_grouping: "So lässt sich die Klasse nicht einteilen.",
    no_ink: "Die Zeichnung ließ sich nicht lesen. Bitte noch einmal versuchen.",
    no_item: (v) => `Die Aktivität hat kein Beispiel „${v.item}“.`,
    no_lesson: (v) => `Die Klasse hatte keine Stunde ${v.lesson}.`,
    no_map:
      "Für eine Karte reichen die Antworten des Vortests noch nicht: Es müssen mehr antworten.",
    no_names: "In dieser Datei stehen keine Namen. Sie braucht eine Spalte „name“.",
    no_phase: "Diesen Schritt gibt es nicht.",
    no_picture: "Dieses Bild gibt es nicht.",
    no_student: "Diese Person ist nicht in dieser Klasse.",
    no_such_call: "Diese Seite gibt es nicht, oder sie ist veraltet. Bitte neu laden.",
    no_tests: "Eine Klasse, die Buchstaben schreibt, hat keine Tests.",
    no_undo:
      "Dieser Schritt lässt sich nicht zurücknehmen: Jemand ist darin schon mit etwas fertig.",
    no_way: "Nach den bisherigen Schätzungen kommt die Klasse in keiner Einteilung ans Ziel.",
    not_asked: "Danach wirst du gerade nicht gefragt.",
    not_readable: "Die Daten ließen sich nicht lesen. Bitte noch einmal versuchen.",
    not_understood: "Etwas fehlt, ist zu lang oder ungültig. Bitte die Eingaben prüfen.",
    not_writing_now: "Die Klasse schreibt gerade nicht. Gleich geht es weiter.",
    nothing_known:
      "Über die Klasse ist noch nichts bekannt. Bitte zuerst den Vortest oder die Stunde beginnen.",
    nothing_to_teach: "Kein Beispiel passt zu der Regel, die gelernt werden soll.",
    nothing_written: "In dieser Klasse wird nicht geschrieben.",
    old_link: "Dieser Link gilt nicht mehr. Es gilt der, den der Server zuletzt ausgegeben hat.",
    one_table: (v) =>
      `Eine Aktivität ist eine Tabelle (.csv) mit ihren Bildern, hier sind es ${v.tables} Tabellen.`,
    option_missing: (v) =>
      `Das „label“ ${v.label} von „${v.item}“ ist keine seiner Antworten zur Auswahl.`,
    password_chosen: "Ein Passwort wurde schon gewählt. Bitte damit anmelden.",
    password_length: (v) =>
      `Ein Passwort hat ${v.shortest} bis ${v.longest} Zeichen, dieses hat ${v.letters}.`,
    passwords_busy:
      "Gerade werden zu viele Passwörter geprüft. Bitte in ein paar Sekunden noch einmal versuchen.",
    paused: "Die Klasse macht Pause. Gleich geht es weiter.",
    gift_kind: (v) =>
      `Frage ${v.number} in ${v.name} kann nicht gelesen werden. Nur Auswahlfragen, Wahr-Falsch-Fragen und Kurzantworten sind möglich: Entfernen Sie sie.`,
    picture_heic: (v) =>
      `${v.name} ist ein HEIC-Foto, das Browser nicht zeigen können. Speichern Sie es als JPEG.`,
    picture_kind: (v) => `${v.name} ist kein Bild in PNG, JPEG, GIF oder WebP.`,
    picture_large: (v) =>
      `${v.name} hat ${v.size} MiB, aber höchstens ${v.most} sind erlaubt. Bitte verkleinern.`,
    picture_missing: (v) => `In der Tabelle steht das Bild „${v.picture}“, aber es fehlt.`,
    picture_pixels: (v) => `${v.name} hat mehr als ${v.most} Millionen Pixel. Bitte verkleinern.`,
    pictures_large: (v) => `Die Bilder haben zusammen mehr als ${v.most} MiB. Bitte verkleinern.`,
    pretest_first:
      "Die Karte dieser Aktivität entsteht aus dem Vortest, und noch hat niemand geantwortet. Bitte ihn zuerst beginnen.",
    removed: "Deine Lehrkraft hat dich aus dieser Klasse entfernt.",
    reveal: (v) => `Die Zeit zum Besprechen kann bis zu ${v.most} Sekunden dauern.`,
    roster_all_gone:
      "In classes.csv sind alle Klassen als gelöscht markiert. Bitte neu exportieren; oder classes.csv und enrollments.csv weglassen, um alle einzulesen.",
    roster_classes: (v) => `Der Export hat ${v.classes} Klassen. Bitte eine auswählen.`,
    roster_columns: (v) =>
      `In ${v.name} fehlt die Spalte „${v.column}“. Kommt die Datei aus OneRoster?`,
    roster_empty_class: (v) =>
      `In der Klasse „${v.title}“ sind keine Lernenden eingetragen. Bitte eine andere auswählen.`,
    roster_half: (v) =>
      `Es fehlt ${v.missing}. Bitte classes.csv und enrollments.csv zusammen senden, um eine Klasse auszuwählen, oder keine von beiden, um alle einzulesen.`,
    roster_lines: (v) =>
      `${v.name} hat ${v.lines} Zeilen, aber höchstens ${v.most} sind erlaubt. Bitte einige weglassen.`,
    roster_long_name: (v) =>
      `Ein Name darf bis zu ${v.most} Zeichen haben, aber „${v.name}“ hat mehr.`,
    roster_many_classes: (v) =>
      `In classes.csv sind mehr als ${v.most} Klassen. Bitte einige weglassen.`,
    roster_no_class: (v) =>
      `Die Klasse „${v.chosen}“ gibt es in dieser Datei nicht. Bitte neu auswählen.`,
    roster_no_users: "Es fehlt users.csv. Ist das ein Export aus OneRoster?",
    roster_nobody:
      "Nach enrollments.csv ist niemand aus users.csv in einer Klasse. Bitte neu exportieren; oder classes.csv und enrollments.csv weglassen, um alle einzulesen.",
    roster_roles:
      "Diese users.csv aus OneRoster 1.2 sagt nicht, wer lernt. Bitte die Zip-Datei mit ihrer roles.csv senden.",
    roster_unreadable: "Die Datei lässt sich nicht lesen. Bitte die Liste als CSV speichern.",
    round_over: (v) => `Runde ${v.round} ist vorbei.`,
    seat_code: "Dieser Code gilt nicht oder nicht mehr. Frag deine Lehrkraft nach einem neuen.",
    several_pictures: (v) =>
      `Mehrere Bilder passen zu „${v.picture}“. Bitte in der Spalte „picture“ eines davon nennen, zum Beispiel „${v.example}“.`,
    sign_in_first: "Bitte neu anmelden.",
    strokes: "Das war zu viel für einen Buchstaben. Bitte fang neu an.",
    spreadsheet: (v) => `Die Tabelle kann nicht gelesen werden: ${v.why}`,
    table_cell: (v) =>
      `${v.name} hat in Zeile ${v.line} mehr als ${v.most} Zeichen in einer Zelle.`,
    table_columns: (v) =>
      `${v.name} muss die Spalten „item“ und „label“ haben, hat aber: ${v.columns}.`,
    table_empty: (v) =>
      `${v.name} ist leer. In der ersten Zeile stehen die Spalten „item“ und „label“.`,
    table_item: (v) =>
      `In Zeile ${v.line} von ${v.name} fehlt der Name des Beispiels, oder er hat mehr als ${v.most} Zeichen.`,
    table_items: (v) =>
      `${v.name} hat ${v.items} Beispiele, aber höchstens ${v.most} sind erlaubt.`,
    table_large: (v) =>
      `${v.name} hat mehr als ${v.most} MiB: Das ist keine Tabelle mit Beispielen.`,
    table_no_text: (v) => `${v.name} ist kein Text. Bitte die Tabelle als CSV (UTF-8) speichern.`,
    table_options: (v) =>
      `${v.name} braucht in Zeile ${v.line} 2 bis ${v.most} verschiedene Antworten mit bis zu ${v.longest} Zeichen, oder keine.`,
    table_place: (v) =>
      `In Zeile ${v.line} von ${v.name} steht „${v.place}“ statt einer Zahl für einen Ort.`,
    table_unreadable: (v) =>
      `${v.name} lässt sich nicht lesen. Bitte die Tabelle als CSV (UTF-8) speichern.`,
    test_length: (v) => `Ein Test fragt 1 bis ${v.most} Beispiele.`,
    too_large: (v) => `Das ist zu groß: Bis zu ${v.most} MB lassen sich senden.`,
    too_many_came:
      "Aus diesem Netz sind zu viele auf einmal beigetreten. Bitte eine Minute warten.",
    too_many_groups: (v) =>
      `Das wären ${v.groups} Gruppen, aber eine Klasse hat höchstens ${v.most}.`,
    too_often: "Zu viele Versuche. Bitte eine Minute warten und dann noch einmal versuchen.",
    two_labels: (v) =>
      `Die Spalte „label“ muss mindestens zwei verschiedene Wörter haben, hat aber: ${v.labels}.`,
    wrong_code: "Keine Klasse hat diesen Code. Bitte schau noch einmal an die Tafel.",
    wrong_password: "Das ist nicht das Passwort.",
    you_left: "Du hast diese Klasse verlassen. Bitte tritt ihr neu bei.",
    zip_files: (v) =>
      `Die Zip-Datei hat ${v.files} Dateien, aber höchstens ${v.most} sind erlaubt.`,
    zip_large: (v) =>
      `Die Zip-Datei ist zu groß („${v.name}“): Erlaubt sind ${v.file} MiB je Datei und ${v.most} MiB insgesamt.`,
    zip_link: (v) =>
      `In der Zip-Datei ist eine Verknüpfung, „${v.name}“. Bitte die Datei selbst hineinlegen.`,
    zip_locked: "Die Zip-Datei ist mit einem Passwort geschützt. Bitte eine ohne erstellen.",
    zip_outside: (v) => `Die Zip-Datei enthält einen Pfad, der nach außen führt: „${v.name}“.`,
    zip_packed: "Die Zip-Datei ist ungewöhnlich komprimiert. Bitte eine gewöhnliche erstellen.",
    zip_unreadable: "Die Zip-Datei lässt sich nicht lesen.",
  },
  join: {
    welcome: "Komm in deine Klasse",
    lead: "Gib den Code ein, den deine Lehrkraft zeigt.",
    code: "Code",
    code_hint: "Sechs Buchstaben und Ziffern",
    nickname: "Vorname oder Spitzname",
    nickname_hint: "Deine Lehrkraft sieht ihn, und an der Tafel vielleicht deine Klasse.",
    join: "Mitmachen",
    joining: "Einen Moment …",
    teacher: "Für Lehrkräfte",
    go_on: (name) => `Weiter als ${name}`,
    someone_else: "oder als jemand anderes mitmachen:",
    sign_out: (name) => `${name} ist nicht hier: auf diesem Gerät abmelden`,
    seat_hint: "Mit diesem Code kommst du auf deinen eigenen Platz zurück.",
    take_seat: "Auf meinen Platz",
  },
  student: {
    hello: (name) => `Hallo, ${name}!`,
    soon: "Du bist dabei. Gleich geht es los.",
    paused: "Kurze Pause. Gleich geht es weiter.",
    pretest: "Zuerst ein paar Fragen: Was weißt du schon? Es gibt keine Noten.",
    posttest: "Die letzten Fragen: Was weißt du jetzt?",
    round: (n) => `Runde ${n}`,
    either: (one, other) => `${one} oder ${other}?`,
    which: "Was ist es?",
    picture: "Das Bild, um das es geht",
    sending: "Deine Antwort wird gesendet …",
    wait: "Deine Antwort ist gespeichert. Gleich kommt die Lösung.",
    left: (n) => (n === 1 ? "Die letzte Frage" : `Noch ${n} Fragen`),
    all_answered: "Das war die letzte Frage. Wir warten auf die anderen.",
    over: "Die Stunde ist vorbei. Gleich geht es weiter.",
    next_soon: "Gleich kommt die nächste Frage.",
    right: "Richtig!",
    wrong: "Nicht ganz.",
    it_is: "Es ist:",
    go_on: "Nächste Frage",
    too_late: "Deine letzte Antwort kam zu spät und zählt nicht. Die Klasse ist schon weiter.",
    before:
      "Diese Frage hattest du schon auf einer anderen Seite beantwortet. Die erste Antwort zählt.",
    last_right: "Das letzte war richtig:",
    last_wrong: "Das letzte war:",
    done: "Das war die Stunde. Gut gemacht!",
    done_lead: "Du kannst diese Seite jetzt schließen.",
    progress: "Dein Fortschritt",
    answered: (n) => many(n, "Antwort", "Antworten"),
    right_share: (right, of) => `${right} von ${of} richtig`,
    group: (name) => `Gruppe ${name}`,
    sign_out: "Abmelden",
    sign_out_sure:
      "Abmelden? Mit dem Code der Klasse und deinem Namen bekommst du deinen Platz zurück.",
    leave: "Klasse verlassen",
    leave_sure: "Klasse verlassen? Du müsstest mit dem Code neu beitreten.",
    unknown: "Du bist gerade in keiner Klasse.",
    to_join: "Einer Klasse beitreten",
    removed: "Du bist nicht mehr in dieser Klasse.",
    removed_lead:
      "Deine Lehrkraft hat dich entfernt. War das ein Versehen, tritt mit dem Code neu bei.",
  },
  write: {
    robot: "Der Buchstabe des Roboters",
    yours: "Dein Buchstabe",
    robot_writes: "Schau zu: Der Roboter schreibt.",
    your_turn: (letter) => `Jetzt du! Schreib ein „${letter}“, so schön du kannst.`,
    correct: (letter) => `Zeig dem Roboter, wie man ein „${letter}“ schöner schreibt.`,
    again: "Noch einmal zuschauen",
    clear: "Neu anfangen",
    done: "Dem Roboter zeigen",
    looking: "Der Roboter schaut sich deinen Buchstaben an …",
    sheet: "Blatt zum Schreiben, mit Stift, Finger oder Maus",
    robot_sheet: (letter) => `Der Buchstabe ${letter}, vom Roboter geschrieben`,
    empty: "Schreib zuerst etwas.",
    kept: "Keine Verbindung. Dein Buchstabe bleibt erhalten; versuch es gleich noch einmal.",
    soon: "Der Roboter spitzt seinen Stift. Gleich geht es los.",
    finished: "Alle Buchstaben sind geschrieben. Der Roboter sagt danke!",
    next: "Geschrieben. Schau, was gewachsen ist!",
    go_on: "Nächster Buchstabe",
    letter_number: (n) => `Buchstabe ${n}`,
    scores: {
      distortion: "Form",
      rotation: "Gerade",
      shakiness: "Ruhige Linie",
    },
    words: ["nur weiter so", "wird schon", "fast geschafft", "wunderbar"],
  },
  answers: { yes: "ja", no: "nein" },
  insects: {
    name: "Tagfalter und Nachtfalter",
    eight: "Tagfalter und Nachtfalter, acht Arten",
    question: "Ist es ein Tagfalter oder ein Nachtfalter?",
    labels: { butterfly: "Tagfalter", moth: "Nachtfalter" },
    species: {
      cmoth: "Spinner",
      tmoth: "Bärenspinner",
      rbfly: "Augenfalter",
      pbfly: "Tagpfauenauge",
      emoth: "Nachtpfauenauge",
      bmoth: "Widderchen",
      skbfly: "Dickkopffalter",
      wbfly: "Kohlweißling",
    },
    because: {
      cmoth:
        "Dieser Spinner ist ein Nachtfalter: Seine Fühler sind gefiedert und seine Flügel schmal.",
      tmoth:
        "Dieser Bärenspinner ist ein Nachtfalter: Seine Fühler sind gefiedert und seine Flügel schmal.",
      rbfly:
        "Dieser Augenfalter ist ein Tagfalter: Seine Fühler enden in Keulen und seine Flügel sind breit.",
      pbfly:
        "Dieses Tagpfauenauge ist ein Tagfalter: Seine Fühler enden in Keulen und seine Flügel sind breit.",
      emoth:
        "Dieses Nachtpfauenauge ist ein Nachtfalter, trotz seiner breiten Flügel: Seine Fühler sind gefiedert und sein Körper ist dick.",
      bmoth:
        "Dieses Widderchen ist ein Nachtfalter, trotz der Keulen an seinen Fühlern: Seine Flügel sind schmal und sein Körper ist dick.",
      skbfly:
        "Dieser Dickkopffalter ist ein Tagfalter, trotz seines dicken Körpers: Seine Fühler enden in Keulen und seine Flügel sind breiter.",
      wbfly:
        "Dieser Kohlweißling ist ein Tagfalter: Seine Fühler enden in Keulen, seine Flügel sind breit und sein Körper ist schlank.",
    },
  },
  leaves: {
    name: "Blätter von fünf Bäumen",
    question: "Von welchem Baum ist dieses Blatt?",
    labels: {
      beech: "Buche",
      birch: "Birke",
      maple: "Ahorn",
      oak: "Eiche",
      willow: "Weide",
    },
    because: {
      beech: "Buche: Der Rand ist glatt oder gewellt, die Seiten sind rund, die Adern gerade.",
      birch: "Birke: ein Dreieck mit langer Spitze und fein gezähntem Rand.",
      maple: "Ahorn: fünf spitze Lappen, die von einem Punkt ausgehen.",
      oak: "Eiche: runde Lappen auf beiden Seiten einer langen Ader.",
      willow: "Weide: viel länger als breit, mit feinen Zähnen.",
    },
  },
  times_tables: "Einmaleins",
  letter: (letter) => `Der Buchstabe ${letter}`,
  phase: {
    lobby: "Beitreten",
    pretest: "Vortest",
    teach: "Stunde",
    posttest: "Nachtest",
    done: "Ende",
  },
  start: {
    lobby: "Zurück zum Beitreten",
    pretest: "Vortest beginnen",
    teach: "Stunde beginnen",
    posttest: "Nachtest beginnen",
    done: "Stunde beenden",
  },
  teacher: {
    first: "Passwort wählen",
    first_lead:
      "Dies ist der erste Start. Wer das Passwort kennt, kann alle Klassen sehen und löschen.",
    first_link:
      "Öffnen Sie den Link, den der Server beim Start ausgegeben hat; dort wählen Sie das erste Passwort.",
    password: "Passwort",
    repeat: "Passwort wiederholen",
    differ: "Die beiden Passwörter sind verschieden.",
    short: "Bitte mindestens acht Zeichen.",
    save: "Speichern und weiter",
    sign_in: "Anmelden",
    sign_in_lead:
      "Schülerinnen und Schüler brauchen kein Konto: Sie treten auf der ersten Seite mit einem Code bei.",
    sign_out: "Abmelden",
    classes: "Klassen",
    no_classes: "Noch keine Klasse. Legen Sie unten eine an.",
    new_class: "Klasse anlegen",
    name: "Name der Klasse",
    name_example: "zum Beispiel: 4b, Dienstag",
    activity: "Aktivität",
    goal: "Wann ist die Klasse am Ziel?",
    goals: {
      roughly: "wenn sie es ungefähr weiß",
      well: "wenn sie es gut weiß",
      very_well: "wenn sie es sehr gut weiß",
    },
    reveal: "Wann kommt die Lösung?",
    reveals: {
      all: "wenn alle geantwortet haben",
      teacher: "wenn ich sie zeige",
    },
    discussion: "Zeit zum Besprechen",
    seconds: (n) => (n === 0 ? "keine: die nächste Frage kommt sofort" : `${n} Sekunden`),
    keep: "Wie lange Daten bleiben",
    days: (n) => `${many(n, "Tag", "Tage")} nach der letzten Antwort`,
    make: "Klasse anlegen",
    activities: "Aktivitäten",
    items: (n) => many(n, "Beispiel", "Beispiele"),
    students: (n) => `${n} dabei`,
    lessons: (n) => many(n, "Stunde", "Stunden"),
    last_on: (day) => `zuletzt am ${day}`,
    built_in: "eingebaut",
    quiz: "Quiz",
    writing: "Handschrift",
    upload: "Aktivität hinzufügen",
    upload_lead:
      "Eine Zip-Datei mit einer Tabelle und ihren Bildern, oder Tabelle und Bilder einzeln.",
    upload_columns:
      "Die Tabelle ist eine CSV-Datei, eine Tabellendatei (.xlsx, .ods) oder eine GIFT-Datei aus Moodle. Eine Tabelle hat eine Zeile je Beispiel. Ihre Spalten sind „item“ (ein Name), „label“ (die richtige Antwort), „picture“ (ein Dateiname) oder „text“, und wahlweise „explanation“, „question“ und „options“ (die Antworten zur Auswahl, getrennt durch |).",
    upload_name: "Name der Aktivität",
    upload_question: "Frage (freiwillig)",
    upload_question_example: "zum Beispiel: Tag- oder Nachtfalter?",
    letters: (n) => many(n, "Buchstabe", "Buchstaben"),
    files: "Dateien",
    send: "Hinzufügen",
    sending: "Wird gesendet …",
    added: (name) => `${name} wurde hinzugefügt.`,
    delete: "Löschen",
    edit: "Bearbeiten",
    copy: "Kopieren",
    make_activity: "Aktivität erstellen",
    delete_activity: (name) => `Die Aktivität ${name} löschen?`,
  },
  editor: {
    make: "Aktivität erstellen",
    edit: "Aktivität bearbeiten",
    copy: "Aktivität kopieren",
    copy_of: (name) => `${name} (Kopie)`,
    about:
      "Schreiben Sie eine Aufgabe pro Block, insgesamt mindestens vier. Ohne falsche Antworten stehen die richtigen Antworten aller Aufgaben zur Wahl. Mit falschen Antworten hat jede Aufgabe ihre eigenen.",
    text: "Frage oder Text",
    right: "Richtige Antwort",
    wrong: "Falsche Antworten, mit | getrennt",
    explanation: "Erklärung (freiwillig)",
    picture: "Bild hinzufügen",
    other_picture: "Anderes Bild",
    preview: "Vorschau",
    remove: "Entfernen",
    add: "Aufgabe hinzufügen",
    paste: "Tabelle einfügen",
    paste_about:
      "Kopieren Sie Zellen aus einer Tabelle: die Frage, die richtige Antwort und dann falsche Antworten, je eine pro Zelle. Eine erste Zeile mit Namen wie „Frage“, „Antwort“, „Antworten“ und „Erklärung“ wird verstanden.",
    take_over: "Diese Zeilen übernehmen",
    which: "Was ist es?",
    heic: "Das ist ein HEIC-Foto, das Browser nicht lesen können. Wählen Sie auf dem Telefon JPEG („Maximale Kompatibilität“) als Format für Fotos, oder schicken Sie das Foto per Mail, dabei wird es umgewandelt.",
    unreadable: (name) => `${name} ist kein Bild, das gelesen werden kann.`,
    save: "Aktivität speichern",
    saving: "Wird gespeichert …",
  },
  lesson: {
    back: "Alle Klassen",
    join_at: "Beitreten auf",
    code: "Code",
    qr: "QR-Code mit dem Link zum Beitreten",
    copy: "Link kopieren",
    copied: "Kopiert",
    roster: "Klassenliste einlesen",
    roster_lead:
      "Eine CSV-Datei mit einem Namen je Zeile; oder ein Export aus OneRoster: die Zip-Datei, oder users.csv mit roles.csv, classes.csv und enrollments.csv.",
    roster_class: "Klasse",
    roster_choose: "Klasse auswählen",
    roster_of: (title, n) => `${title} (${many(n, "Name", "Namen")})`,
    roster_import: "Diese Klasse einlesen",
    lock: "Klasse sperren",
    unlock: "Klasse entsperren",
    locked: "Die Klasse ist gesperrt: Niemand Neues kann beitreten.",
    imported: (n) => `${many(n, "Name", "Namen")} eingelesen.`,
    here: (here, all) => `${here} von ${all} da`,
    no_students: "Noch ist niemand da.",
    answered: (n, of) => `${n} von ${of} haben geantwortet`,
    through: (n, of) => `${n} von ${of} sind fertig`,
    pause: "Pause",
    resume: "Weiter",
    skip: "Dieses Beispiel überspringen",
    close_round: "Nicht länger warten",
    paused: "Pause",
    round: (n) => `Runde ${n}`,
    stalled: {
      store:
        "Die Klasse kann nicht weitermachen: Der Server kann gerade nichts speichern. Er versucht es weiter. Bitte Festplatte oder Datenbank prüfen.",
      failed:
        "Die Klasse kann nicht weitermachen: Auf dem Server ist ein Fehler aufgetreten. Er versucht es weiter. Einzelheiten stehen im Protokoll des Servers.",
    },
    continues: "Die Klasse macht weiter.",
    finished: {
      goal: "Die Klasse ist am Ziel.",
      stuck: "Kein Beispiel brächte die Klasse weiter.",
      rounds: "Die Klasse hat die Höchstzahl an Beispielen gesehen.",
      diverged: "Die Beispiele haben die Klasse vom Ziel entfernt.",
      rounding: "Rundungsfehler sind zu groß, um zu sagen, ob das Ziel erreicht ist.",
      no_students: "Es ist niemand da.",
    },
    steps: "Schritte der Stunde",
    end_sure: "Stunde beenden? Danach kann niemand mehr antworten.",
  },
  again: {
    title: "Diese Klasse wieder unterrichten",
    about:
      "Die Klasse, ihre Namen und der Code bleiben. Die nächste Stunde beginnt mit dem Beitreten.",
    change: "Aktivität wechseln",
    change_about:
      "Die Stunde hat noch nicht begonnen: Sie können noch eine andere Aktivität wählen.",
    begin: "Nächste Stunde beginnen",
    sign_out: "Alle abmelden",
    sign_out_about:
      "Für geteilte Tablets: Wer als Nächstes kommt, tritt mit dem Code und dem eigenen Namen bei und bekommt den eigenen Platz.",
    sign_out_sure: (n) =>
      `${n} abmelden? Mit dem Code und ihren Namen bekommen sie ihre Plätze zurück.`,
    signed_out: "Alle sind abgemeldet.",
    history: "Alle Stunden dieser Klasse",
  },
  history: {
    title: "Stunden",
    lesson: "Stunde",
    activity: "Aktivität",
    before: "Vorher",
    during: "In der Stunde",
    after: "Nachher",
    of: (right, answers) => `${right} von ${answers} richtig`,
    students: "Kinder",
    items: "Aufgaben",
    report: "Bericht",
    csv: "CSV",
    about:
      "Der Anteil richtiger Antworten vor, in und nach jeder Stunde. Tests stellen jedem Kind nur einen Teil der Aufgaben, kleine Unterschiede bedeuten daher wenig.",
    item_about: "Alle Antworten zu einer Aufgabe, über alle Stunden mit ihrer Aktivität.",
    none: "Noch keine Antworten.",
  },
  names: {
    hide: "Namen verbergen",
    show: "Namen zeigen",
    hidden: "Auf diesem Gerät sind die Namen verborgen; im Bericht und in den Exporten stehen sie.",
    number: (n) => `Person ${n}`,
  },
  map: {
    title: "Karte der Klasse",
    about:
      "Die Beispiele und der geschätzte Stand der Lernenden. Die Ellipse zeigt, wie sicher die Schätzung ist.",
    described: (students, items) =>
      `Karte mit ${many(items, "Beispiel", "Beispielen")} und ${many(students, "Person", "Personen")}; dieselben Zahlen stehen in der Tabelle.`,
    target: "die richtige Grenze",
    states: "Lernende",
    ellipses: "Unsicherheit",
    items: "Beispiele",
    next: "Beispiel dieser Runde",
    goal: "Ziel für alle",
    show_next: "Dieses als nächstes zeigen",
    close: "Schließen",
    empty: "Die Karte erscheint mit den ersten Antworten.",
  },
  errors: {
    title: "Fortschritt der Klasse",
    about: "Mittlerer quadratischer Abstand zum Ziel. Schraffiert: der Anteil der Unsicherheit.",
    round: "Runde",
    goal: "Ziel",
    described: (total, unsure, round) =>
      `Nach Runde ${round}: Abstand ${total}, davon ${unsure} Unsicherheit.`,
    empty: "Die Kurve beginnt mit der Stunde.",
  },
  next: {
    title: "Beispiel dieser Runde",
    why: "Warum dieses?",
    none: "Ein Beispiel wird gewählt, sobald die Antworten da sind.",
    over: "Die Stunde ist zu Ende: Es folgt kein Beispiel mehr.",
    last: "Letztes Beispiel",
    because: (wrong, of, off) =>
      `Etwa ${wrong} von ${of} ${wrong === 1 ? "läge" : "lägen"} falsch, und kein anderes Beispiel verringert den Abstand mehr: um ${off}.`,
    because_few: (off) =>
      `Kaum jemand läge falsch, aber kein anderes Beispiel verringert den Abstand mehr: um ${off}.`,
    wrong: (wrong, of) =>
      wrong > 0
        ? `Etwa ${wrong} von ${of} ${wrong === 1 ? "läge" : "lägen"} falsch.`
        : "Kaum jemand läge falsch.",
    chosen: "Sie haben es gewählt.",
    instead: "Stattdessen ein anderes zeigen",
    choose: "Beispiel wählen",
    show: "Zeigen",
    wish: "Das gewählte Beispiel",
    for: (group) => `Für Gruppe ${group}`,
  },
  table: {
    title: "Lernende",
    name: "Name",
    here: "da",
    away: "nicht da",
    now: "Diese Runde",
    test: "Test",
    answered: "geantwortet",
    through: "fertig",
    missing: "noch nicht",
    right: "Weiß es",
    right_long:
      "Wie wahrscheinlich die nächste Antwort richtig ist, mit dem wahrscheinlichen Bereich",
    band: (middle, low, high) => `${middle}, zwischen ${low} und ${high}`,
    group: "Gruppe",
    rate: "Tempo",
    rates: {
      slow: "langsam",
      middling: "mittel",
      fast: "schnell",
      "stands still": "kein Fortschritt",
      "not known yet": "noch unbekannt",
    },
    absent: "noch nicht beigetreten",
    guessing: "klickt vielleicht, ohne zu lesen",
    more: "Mehr",
    close: "Schließen",
    seat: "Platz zurückgeben",
    seat_lead:
      "Für ein neues Handy oder einen geleerten Browser: ein Code, der einmal gilt. Das alte Handy ist dann abgemeldet.",
    seat_how: (name, minutes) =>
      `${name} gibt diesen Code dort ein, wo der Code der Klasse hingehört, oder scannt ihn. Er gilt einmal, ${many(minutes, "Minute", "Minuten")} lang.`,
    seat_qr: "QR-Code mit dem Link zum Platz",
    wait: "Nicht warten",
    wait_lead: "Gilt als nicht da, bis die Seite wieder geöffnet wird.",
    remove: "Entfernen",
    remove_lead: "Die Antworten zählen nicht mehr, und der Name ist wieder frei.",
    remove_sure: (name) =>
      `${name} aus der Klasse entfernen? Die Antworten zählen dann nicht mehr. Das lässt sich nicht rückgängig machen.`,
    several: "Mehrere entfernen",
    silent: "Alle wählen, die nie geantwortet haben",
    several_remove: (n) => `${many(n, "Person", "Personen")} entfernen`,
    several_sure: (n) =>
      `${many(n, "Person", "Personen")} aus der Klasse entfernen? Ihre Antworten zählen dann nicht mehr. Das lässt sich nicht rückgängig machen.`,
    unknown: "noch unbekannt",
  },
  groups: {
    title: "Gruppen",
    about: "Mit mehr Gruppen zeigen Sie mehr Beispiele, und jede Person sieht weniger.",
    whose: "Wessen Zeit zählt mehr?",
    yours: "Ihre",
    students: "die der Klasse",
    way: (together, alone) => {
      const parts = [
        together > 0 ? many(together, "Gruppe", "Gruppen") : "",
        alone > 0 ? `${many(alone, "Person", "Personen")} allein` : "",
      ];
      return parts.filter((part) => part !== "").join(" und ");
    },
    whole: "die ganze Klasse zusammen",
    cost: (rounds, workload) =>
      `Sie zeigen ${many(rounds, "Beispiel", "Beispiele")}; jede Person sieht im Mittel ${workload}.`,
    now: "jetzt",
    regroup: "So einteilen",
    together: "Alle zusammen",
    teacher_axis: "Beispiele, die Sie zeigen",
    student_axis: "Beispiele je Person",
    none: "Noch gibt es nichts zu wählen: Zuerst braucht es ein paar Antworten.",
    reached: "Die Klasse ist wahrscheinlich am Ziel: Gruppen braucht es nicht mehr.",
    described: (n) => `${many(n, "Einteilung", "Einteilungen")} der Klasse.`,
    done: "Die Klasse hat neue Gruppen.",
  },
  data: {
    title: "Daten",
    csv: "Antworten als CSV",
    json: "Alles als JSON",
    xapi: "xAPI-Meldungen",
    report: "Bericht zum Drucken",
    kept: (days) =>
      `Bleibt nach der letzten Antwort noch ${many(days, "Tag", "Tage")} auf diesem Server und wird dann gelöscht.`,
    delete: "Klasse mit allen Daten löschen",
    delete_title: "Klasse löschen?",
    delete_sure: (name) =>
      `Alle Namen, Antworten und Buchstaben von ${name} werden sofort von diesem Server gelöscht. Das lässt sich nicht rückgängig machen.`,
    cancel: "Abbrechen",
    yes: "Endgültig löschen",
  },
  report: {
    print: "Drucken",
    days: (first, last) => `${first} bis ${last}`,
    students: "Lernende",
    examples: "gezeigte Beispiele",
    letters: "geschriebene Buchstaben",
    before: "richtig vor der Stunde",
    after: "richtig nach der Stunde",
    about: "Nach jeder Runde. Schraffiert: der Anteil der Unsicherheit.",
    falls: (from, to) => `Der Abstand ändert sich von ${from} auf ${to}.`,
    distance: "Abstand",
    answers: "Antworten",
    right: "Richtig",
    band: (low, high) => `${low} bis ${high}`,
    test_before: "Vorher",
    test_after: "Nachher",
    in_lesson: "In der Stunde",
    change: "Änderung",
    change_range: (low, high) => `Punkte Änderung je Kind (${low} bis ${high})`,
    change_about:
      "Vorher und Nachher sind die richtigen Antworten im Vortest und im Nachtest. Die Änderung ist in Prozentpunkten; in Klammern steht ihr 90-%-Bereich, der bei einem kurzen Test breit ist.",
    confuses: "Verwechselt noch",
    mixed: (right, given, n) => `${right} → ${given} (${n}×)`,
    mixed_item: (item, given, n) => `${item} → ${given} (${n}×)`,
    repeat: "Was zu wiederholen ist",
    items: "Aufgaben vorher und nachher",
    item: "Aufgabe",
    answer: "Antwort",
    estimate:
      "Was die Lernenden wissen, ist aus ihren Antworten geschätzt; der Bereich zeigt, wie sicher die Schätzung ist.",
    shown: "Beispiele, und warum sie gewählt wurden",
    example: "Beispiel",
    why: "Warum",
    skipped: "Übersprungen.",
    cut_short: "Durch die nächste Phase abgebrochen.",
    first: "Erster Buchstabe",
    last: "Letzter Buchstabe",
    number: "Buchstaben",
    words: "Die Wörter vergleichen einen Buchstaben mit dem Vorbild. Sie sind nie eine Diagnose.",
    no_students: "Dieser Klasse ist niemand beigetreten.",
  },
  all_data: {
    title: "Daten aller Klassen",
    about:
      "Alles bleibt auf diesem Server: Namen oder Spitznamen, Antworten und Buchstaben. Nichts wird weitergegeben.",
    backup: "Sicherung herunterladen",
    backup_about:
      "Eine Sicherung enthält alle Klassen und Aktivitäten in einer Datei, auch für einen anderen Rechner. Sie enthält Namen: Bewahren Sie sie sicher auf. Ihr Passwort steht nicht darin.",
    restore: "Sicherung einspielen",
    restoring: "Die Sicherung wird gelesen …",
    restored: (classes, activities) =>
      `${many(classes, "Klasse", "Klassen")} und ${many(activities, "Aktivität", "Aktivitäten")} hinzugefügt. Die Kinder treten mit dem Code und ihren Namen bei.`,
    present: (n) => `${many(n, "Klasse war", "Klassen waren")} schon da.`,
    delete: "Alle Klassen mit allen Daten löschen",
    delete_title: "Alles löschen?",
    delete_sure: (n) =>
      `Alle Namen, Antworten und Buchstaben von ${many(n, "Klasse", "Klassen")} werden sofort von diesem Server gelöscht. Aktivitäten bleiben. Das lässt sich nicht rückgängig machen.`,
  },
  letters: {
    title: "Buchstaben",
    open: "Buchstaben auf einer eigenen Seite",
    about: "Der neueste steht zuletzt. Die Linien zeigen, wie nah die Buchstaben am Vorbild sind.",
    none: "Noch keine Buchstaben.",
    back: "Zurück zur Klasse",
    model: "Das Vorbild",
    try: (n) => `Versuch ${n}`,
    of: (name, n) => `${name}, Versuch ${n}`,
    trend: (name) => `Wie nah die Buchstaben von ${name} am Vorbild sind, im Verlauf`,
    close: "nah am Vorbild",
  },
};
