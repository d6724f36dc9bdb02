"""Files of other programs are read rightly, or refused: never read wrongly without an error.

The files are made from the public descriptions of their formats.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from homeroom import Answers
from homeroom._checks import InputError
from homeroom.crowd.reading.meaning import canonical

PEOPLE = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus"]
ITEMS = [f"bird-{number}.jpg" for number in range(1, 9)]
BIRDS = ("owl", "kite", "gull")
Rows: TypeAlias = list[list[object]]


def said(person: int, item: int) -> int:
    """Return which of three answers an annotator gives: all agree on most items."""
    return (item + (person == item % 5)) % 3


def word(person: int, item: int, words: Sequence[str] = BIRDS) -> str:
    return words[said(person, item) % len(words)]


def pairs() -> list[tuple[int, int]]:
    return [(p, i) for p in range(len(PEOPLE)) for i in range(len(ITEMS))]


def csv_text(rows: Sequence[Sequence[object]], mark: str = ",") -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=mark).writerows(rows)
    return file.getvalue()


def when(number: int) -> str:
    return f"2025-11-16 09:{number // 60:02}:{number % 60:02}"


def long(header: Sequence[str], row: Callable[[int, int, int], list[object]]) -> Rows:
    """Return a table with one row per answer; ``row`` gets its number, annotator and item."""
    return [list(header), *(row(n, p, i) for n, (p, i) in enumerate(pairs()))]


def wide(words: Sequence[str] = BIRDS) -> list[list[object]]:
    return [[word(p, i, words) for i in range(len(ITEMS))] for p in range(len(PEOPLE))]


YES_NO = ("Yes", "No")
TRUE_FALSE = ("True", "False")


def qualtrics(words: Sequence[str]) -> Rows:
    names = ["StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)"]
    names += ["Finished", "RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage"]
    asked = [f"Q{n}" for n in range(1, 9)]
    texts = ["Start Date", "End Date", "Response Type", "IP Address", *names[4:6], "Finished"]
    texts += ["Recorded Date", "Response ID", "Distribution Channel", "User Language"]
    texts += [f"What is on {item}?" for item in ITEMS]
    keys = [json.dumps({"ImportId": name}) for name in [*names, *(f"QID{n}" for n in range(1, 9))]]
    rows: Rows = [[*names, *asked], list(texts), list(keys)]
    for p, answers in enumerate(wide(words)):
        about = [when(p), when(p + 60), "IP Address", "10.0.0.1", 100, 90 + p, "True", when(p + 60)]
        rows.append([*about, f"R_{p}abc", "anonymous", "EN", *answers])
    return rows


def survey_monkey(words: Sequence[str]) -> Rows:
    names = ["Respondent ID", "Collector ID", "Start Date", "End Date", "IP Address"]
    names += ["Email Address", "First Name", "Last Name", "Custom Data 1"]
    rows: Rows = [
        [*names, *(f"What is on {item}?" for item in ITEMS)],
        [*[""] * len(names), *["Response"] * len(ITEMS)],
    ]
    for p, answers in enumerate(wide(words)):
        about = [f"1187{p}", "4231", when(p), when(p + 60), "10.0.0.1", "", PEOPLE[p], "", ""]
        rows.append([*about, *answers])
    return rows


def appen(words: Sequence[str]) -> Rows:
    header = "_unit_id,_created_at,_golden,_id,_missed,_started_at,_tainted,_channel,_trust"
    header += ",_worker_id,_country,_ip,species,image_url,species_gold"

    def row(n: int, p: int, i: int) -> list[object]:
        gold = words[i % len(words)] if i < 2 else ""
        about = [700 + i, when(n), "true" if i < 2 else "false", 9000 + n, "", when(n), "false"]
        more = ["neodev", 0.9, 40 + p, "DEU", "10.0.0.1", word(p, i, words)]
        return [*about, *more, f"https://x.org/{ITEMS[i]}", gold]

    return long(header.split(","), row)


def mturk(words: Sequence[str]) -> Rows:
    header = "HITId,HITTypeId,Title,WorkerId,AssignmentStatus,SubmitTime,Input.image,Answer.kind"

    def row(n: int, p: int, i: int) -> list[object]:
        time = "Sun Nov 16 01:05:00 PST 2025"
        return [f"H{i}", "T", "Birds", PEOPLE[p], "Approved", time, ITEMS[i], word(p, i, words)]

    return long(header.split(","), row)


def toloka(words: Sequence[str]) -> Rows:
    header = "INPUT:image,OUTPUT:result,GOLDEN:result,HINT:text,ASSIGNMENT:link"
    header += ",ASSIGNMENT:assignment_id,ASSIGNMENT:task_id,ASSIGNMENT:worker_id"
    header += ",ASSIGNMENT:status,ASSIGNMENT:started,ACCEPT:verdict"

    def row(n: int, p: int, i: int) -> list[object]:
        gold = words[i % len(words)] if i < 2 else ""
        about = [f"a{n}", f"t{i}", PEOPLE[p], "APPROVED", f"2025-11-16T09:{n:02}:00", ""]
        return [ITEMS[i], word(p, i, words), gold, "", f"https://toloka.ai/{n}", *about]

    return long(header.split(","), row)


def moodle(words: Sequence[str]) -> Rows:
    names = ["Last name", "First name", "Email address", "State", "Started on", "Completed"]
    names += ["Time taken", "Grade/10.00", *(f"Response {n}" for n in range(1, 9))]
    rows: Rows = [list(names)]
    for p, answers in enumerate(wide(words)):
        name = [f"L{p}", PEOPLE[p], f"{PEOPLE[p].lower()}@x.org", "Finished"]
        taken = [f"16 November 2025  9:{p:02} AM", f"16 November 2025  9:{p + 9:02} AM"]
        rows.append([*name, *taken, f"9 mins {p} secs", f"{p + 2}.50", *answers])
    return rows


def google_forms(words: Sequence[str]) -> Rows:
    rows: Rows = [["Timestamp", "Email Address", *(f"What is on {i}?" for i in ITEMS)]]
    for p, answers in enumerate(wide(words)):
        rows.append([f"11/16/2025 9:{p:02}:00", f"{PEOPLE[p].lower()}@x.org", *answers])
    return rows


def lime_survey(words: Sequence[str]) -> Rows:
    names = ["id", "submitdate", "lastpage", "startlanguage", "seed", "startdate", "datestamp"]
    rows: Rows = [[*names, *(f"Q{n:02}" for n in range(1, 9))]]
    for p, answers in enumerate(wide(words)):
        about = [p + 1, when(p + 60), 3, "en", 184467 + p, when(p), when(p + 60)]
        rows.append([*about, *answers])
    return rows


def gorilla(words: Sequence[str]) -> Rows:
    header = "Event Index,UTC Timestamp,UTC Date,Participant Public ID,Participant Private ID"
    header += ",Task Name,Trial Number,Zone Type,Reaction Time,Response,Correct,display,image"

    def row(n: int, p: int, i: int) -> list[object]:
        about = [n + 1, 1763283600000 + n, f"16/11/2025 09:{n:02}:00", PEOPLE[p], 5000 + p]
        right = int(word(p, i, words) == words[i % len(words)])
        task = ["Birds", i + 1, "response_button", 412.5 + n, word(p, i, words), right]
        return [*about, *task, "trial", ITEMS[i]]

    return long(header.split(","), row)


def labelbox(words: Sequence[str]) -> Rows:
    header = "ID,DataRow ID,Labeled Data,Label,Created By,Project Name,Created At,Seconds to Label"
    header += ",External ID,Agreement,Is Benchmark"

    def row(n: int, p: int, i: int) -> list[object]:
        label = json.dumps({"classifications": [{"title": "kind", "value": word(p, i, words)}]})
        about = [f"{PEOPLE[p]}@x.org", "Birds", f"2025-11-16T09:{n:02}:00.000Z", 4.2 + n]
        return [f"c{n}", f"d{i}", f"https://x.org/{ITEMS[i]}", label, *about, ITEMS[i], -1, 0]

    return long(header.split(","), row)


def doccano(words: Sequence[str]) -> Rows:
    return long(
        ["id", "text", "label", "Comments", "username"],
        lambda _n, p, i: [i, f"A bird on a wire {i}", word(p, i, words), "", PEOPLE[p]],
    )


def prodigy(words: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "text": f"A text about {ITEMS[i]}",
            "_input_hash": 1000 + i,
            "_task_hash": 2000 + i,
            "label": word(p, i, words),
            "answer": "accept",
            "_annotator_id": f"birds-{PEOPLE[p]}",
            "_session_id": f"birds-{PEOPLE[p]}",
            "_timestamp": 1763283600 + n,
        }
        for n, (p, i) in enumerate(pairs())
    ]


def two_headers(words: Sequence[str]) -> Rows:
    """Return a matrix with the texts of the questions below the header."""
    rows: Rows = [["student", *(f"q{n}" for n in range(1, 9))]]
    rows.append(["Name of the student", *(f"What is on {item}?" for item in ITEMS)])
    return rows + [[PEOPLE[p], *answers] for p, answers in enumerate(wide(words))]


def with_ages(words: Sequence[str]) -> Rows:
    rows: Rows = [["student", "age", "gender", *ITEMS]]
    ages = [[PEOPLE[p], 14 + p % 3, "fm"[p % 2], *answers] for p, answers in enumerate(wide(words))]
    return rows + ages


def with_a_total(words: Sequence[str]) -> Rows:
    rows: Rows = [["student", *ITEMS]]
    rows += [[PEOPLE[p], *answers] for p, answers in enumerate(wide(words))]
    return [*rows, ["Overall average", *(f"{n}/7" for n in range(8))]]


def with_an_average(words: Sequence[str]) -> Rows:
    return [*with_a_total(words)[:-1], ["Average", *(f"{n * 10} %" for n in range(8))]]


def header_again(words: Sequence[str]) -> Rows:
    """Return two tables, one below the other."""
    rows = long(
        ["student", "item", "answer"], lambda _n, p, i: [PEOPLE[p], ITEMS[i], word(p, i, words)]
    )
    return [*rows[:20], ["student", "item", "answer"], *rows[20:]]


def changed_answers(words: Sequence[str]) -> Rows:
    """Return answers of which some were changed later; the newest is first."""
    rows = long(
        ["student", "item", "answer", "when"],
        lambda n, p, i: [PEOPLE[p], ITEMS[i], word(p, i, words), when(n + 100)],
    )
    old = [[*row[:2], words[0], when(n)] for n, row in enumerate(rows[1:9])]
    return [*rows, *old]


def headless(words: Sequence[str]) -> Rows:
    """Return rows of words without a header."""
    return long([], lambda _n, p, i: [PEOPLE[p], ITEMS[i], word(p, i, words)])[1:]


def headless_first_answer(words: Sequence[str]) -> Rows:
    return [[row[2], row[0], row[1]] for row in headless(words)]


def key_and_response(words: Sequence[str]) -> Rows:
    """Return a quiz whose column `answer` has the right answers."""
    return long(
        ["student", "question", "answer", "response"],
        lambda _n, p, i: [PEOPLE[p], ITEMS[i], words[i % len(words)], word(p, i, words)],
    )


def flag(words: Sequence[str]) -> Rows:
    """Return answers with a column that says which items are test questions."""
    return long(
        ["worker", "item", "answer", "gold"],
        lambda _n, p, i: [PEOPLE[p], ITEMS[i], word(p, i, words), str(i < 3).upper()],
    )


def golden(words: Sequence[str]) -> Rows:
    rows = flag(words)
    rows[0][3] = "_golden"
    return rows


def one_stray(words: Sequence[str]) -> Rows:
    rows = headless(words)
    rows[10][2] = "Test, please ignore"
    return [["student", "item", "answer"], *rows]


def stranger(words: Sequence[str]) -> Rows:
    tests: Rows = [["admin", item, "test"] for item in ITEMS]
    return [["student", "item", "answer"], *headless(words), *tests]


def redcap(words: Sequence[str]) -> Rows:
    rows: Rows = [["record_id", "redcap_event_name", *(f"q{n}" for n in range(1, 9)), "complete"]]
    return rows + [[p + 1, "baseline", *row, "Complete"] for p, row in enumerate(wide(words))]


def ms_forms(words: Sequence[str]) -> Rows:
    names = ["ID", "Start time", "Completion time", "Email", "Name"]
    rows: Rows = [[*names, *(f"What is on {item}?" for item in ITEMS)]]
    for p, answers in enumerate(wide(words)):
        times = [f"11/16/25 9:{p:02}:00", f"11/16/25 9:{p + 9:02}:00"]
        rows.append([p + 1, *times, "anonymous", PEOPLE[p], *answers])
    return rows


def kahoot(words: Sequence[str]) -> Rows:
    """Return the raw report data of a Kahoot."""
    header = "Question Number,Question,Answer 1,Answer 2,Answer 3,Correct Answers,Time Allotted"
    header += ",Player,Answer,Correct / Incorrect,Correct,Incorrect,Score (points)"

    def row(n: int, p: int, i: int) -> list[object]:
        right = words[i % len(words)]
        good = word(p, i, words) == right
        about = [f"{i + 1} Quiz", f"What is on {ITEMS[i]}?", *words, *[""] * (3 - len(words))]
        marks = ["Correct" if good else "Incorrect", int(good), int(not good), 900 * good]
        return [*about, right, 20, PEOPLE[p], word(p, i, words), *marks]

    return long(header.split(","), row)


def socrative(words: Sequence[str]) -> Rows:
    rows: Rows = [["Student Names", "Total Score (0 - 100)", "Number of correct answers"]]
    rows[0] += [f"What is on {item}?" for item in ITEMS]
    for p, answers in enumerate(wide(words)):
        rows.append([PEOPLE[p], 50 + p, 4, *answers])
    return [*rows, ["Class Scoring", "54%", "4.2", *(f"{n}0%" for n in range(1, 9))]]


def canvas(words: Sequence[str]) -> Rows:
    """Return a student analysis: the points of each question are in a column of their own."""
    header = ["name", "id", "sis_id", "section", "section_id", "section_sis_id", "submitted"]
    header += ["attempt"]
    for n, item in enumerate(ITEMS):
        header += [f"{4400 + n}: What is on {item}?", "1.0"]
    rows: Rows = [[*header, "n correct", "n incorrect", "score"]]
    for p, answers in enumerate(wide(words)):
        about = [PEOPLE[p], 700 + p, f"s{p}", "7a", 12, "", f"{when(p)} UTC", 1]
        points = [cell for n, answer in enumerate(answers) for cell in (answer, (p + n) % 2)]
        rows.append([*about, *points, 4, 4, 4])
    return rows


def typeform(words: Sequence[str]) -> Rows:
    rows: Rows = [["#", "Your name", *(f"What is on {item}?" for item in ITEMS)]]
    rows[0] += ["Start Date (UTC)", "Submit Date (UTC)", "Network ID"]
    for p, answers in enumerate(wide(words)):
        rows.append([f"a{p}b{p}c", PEOPLE[p], *answers, when(p), when(p + 60), f"n{p}e{p}"])
    return rows


def jotform(words: Sequence[str]) -> Rows:
    rows: Rows = [["Submission Date", "Name", *(f"What is on {item}?" for item in ITEMS), "IP"]]
    for p, answers in enumerate(wide(words)):
        rows.append([f"Nov 16, 2025 9:{p:02}", PEOPLE[p], *answers, "10.0.0.1"])
    return rows


def kobo(words: Sequence[str]) -> Rows:
    rows: Rows = [["start", "end", "observer", *(f"bird_{n}" for n in range(1, 9)), "_id", "_uuid"]]
    rows[0] += ["_submission_time", "_validation_status", "_status", "_index"]
    for p, answers in enumerate(wide(words)):
        more = [900 + p, f"u{p}-4{p}", when(p + 90), "", "submitted_via_web", p + 1]
        rows.append([when(p), when(p + 60), PEOPLE[p], *answers, *more])
    return rows


def js_psych(words: Sequence[str]) -> Rows:
    """Return all trials of an experiment, with instructions between the pictures."""
    header = "rt,stimulus,response,trial_type,trial_index,time_elapsed,internal_node_id,subject"
    rows: Rows = [[*header.split(",")]]
    for p in range(len(PEOPLE)):
        hello = "<p>Welcome! Press any key to begin the experiment.</p>"
        rows.append([3000 + p, hello, " ", "html-keyboard-response", 0, 3100, "0.0-0.0", f"s{p}"])
        for i in range(len(ITEMS)):
            kind = ["image-button-response", i + 1, 4000 + i, f"0.0-{i}.0", f"s{p}"]
            rows.append([500 + p * i, f"img/{ITEMS[i]}", word(p, i, words), *kind])
    return rows


def qualtrics_without_rows(words: Sequence[str]) -> Rows:
    rows = qualtrics(words)
    return [rows[0], *rows[3:]]


def qualtrics_legacy(words: Sequence[str]) -> Rows:
    rows = qualtrics(words)
    return [rows[0], rows[1], *rows[3:]]


def qualtrics_short(words: Sequence[str]) -> Rows:
    """Return the answers with an id, and the texts of the questions in the second row."""
    return [row[8:9] + row[11:] for row in qualtrics_legacy(words)]


def survey_monkey_named(words: Sequence[str]) -> Rows:
    """Return the names and answers only, and the second header row."""
    return [row[6:7] + row[9:] for row in survey_monkey(words)]


def survey_monkey_choices(words: Sequence[str]) -> Rows:
    """Return a column for each choice of the first question, named in the second row."""
    rows = survey_monkey(words)
    out: Rows = [[*rows[0][:9], ITEMS[0], *[""] * (len(words) - 1), *rows[0][10:]]]
    out.append([*rows[1][:9], *words, *rows[1][10:]])
    for row in rows[2:]:
        out.append([*row[:9], *(one if one == row[9] else "" for one in words), *row[10:]])
    return out


def moodle_german(words: Sequence[str]) -> Rows:
    rows = moodle(words)
    names = ["Nachname", "Vorname", "E-Mail-Adresse", "Status", "Begonnen am", "Beendet"]
    rows[0] = [
        *names,
        "Verbrauchte Zeit",
        "Bewertung/10,00",
        *(f"Antwort {n}" for n in range(1, 9)),
    ]
    for p, row in enumerate(rows[1:]):
        row[4:6] = [f"16. November 2025 09:{p:02}", f"16. November 2025 09:{p + 9:02}"]
        row[6:8] = [f"9 Minuten {p} Sekunden", f"{p + 2},50"]
    return rows


def moodle_average(words: Sequence[str]) -> Rows:
    rows = moodle(words)
    return [*rows, ["Overall average", *[""] * 6, "5.5", *[""] * 8]]


def moodle_with_keys(words: Sequence[str]) -> Rows:
    rows = moodle(words)
    rows[0] += [f"Right answer {n}" for n in range(1, 9)]
    return [rows[0], *([*row, *(words[i % len(words)] for i in range(8))] for row in rows[1:])]


def moodle_short(words: Sequence[str]) -> Rows:
    """Return the responses without dates and grades, but with the state and the time taken."""
    return [row[2:4] + row[6:7] + row[8:] for row in moodle(words)]


def prodigy_choice(words: Sequence[str]) -> list[dict[str, Any]]:
    """Return choices as lists; some tasks were ignored."""
    rows = [{"accept": [row.pop("label")], "options": [], **row} for row in prodigy(words)]
    return [*rows, {**rows[0], "_annotator_id": "birds-Spam", "answer": "ignore"}]


def labelbox_rows(words: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row per item with the labels of all annotators, as new exports have them."""

    def label(p: int, i: int) -> dict[str, Any]:
        answer = {"name": "kind", "radio_answer": {"name": word(p, i, words), "value": "x"}}
        details = {"created_at": f"2025-11-16T09:{p:02}:00Z", "created_by": f"{PEOPLE[p]}@x.org"}
        return {"label_details": details, "annotations": {"classifications": [answer]}}

    return [
        {
            "data_row": {"id": f"d{i}", "external_id": item, "row_data": f"https://x.org/{item}"},
            "projects": {"c1": {"labels": [label(p, i) for p in range(len(PEOPLE))]}},
        }
        for i, item in enumerate(ITEMS)
    ]


def prodigy_binary(words: Sequence[str]) -> list[dict[str, Any]]:
    """Return one suggested label each, accepted or rejected."""
    return [
        {**row, "label": words[0], "answer": "accept" if row["label"] == words[0] else "reject"}
        for row in prodigy(words)
    ]


def doccano_lists(words: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"id": i, "text": f"text {i}", "label": [word(p, i, words)], "annotator": PEOPLE[p]}
        for p, i in pairs()
    ]


def doccano_all(words: Sequence[str]) -> list[dict[str, Any]]:
    """Return one text per line with the labels of all annotators, who are not named."""
    return [
        {"id": i, "text": f"text {i}", "label": [word(p, i, words) for p in range(len(PEOPLE))]}
        for i in range(len(ITEMS))
    ]


def with_a_class(words: Sequence[str]) -> Rows:
    rows: Rows = [["name", "class", *ITEMS]]
    return rows + [[PEOPLE[p], f"7{'ab'[p % 2]}", *row] for p, row in enumerate(wide(words))]


def with_remarks(words: Sequence[str]) -> Rows:
    rows: Rows = [["name", *ITEMS, "comments"]]
    said = ["good", "", "too hard for me", "", "nice", "", ""]
    return rows + [[PEOPLE[p], *row, said[p]] for p, row in enumerate(wide(words))]


def by_item_with_difficulty(words: Sequence[str]) -> Rows:
    rows: Rows = [["item", "difficulty", *PEOPLE, "truth"]]
    columns = zip(*wide(words), strict=True)
    return rows + [
        [ITEMS[i], ["easy", "hard"][i % 2], *column, words[i % len(words)]]
        for i, column in enumerate(columns)
    ]


def lime_survey_texts(words: Sequence[str]) -> Rows:
    rows = lime_survey(words)
    texts = ["Response ID", "Date submitted", "Last page", "Start language", "Seed"]
    texts += ["Date started", "Date last action", *(f"What is on {item}?" for item in ITEMS)]
    return [list(texts), *rows[1:]]


def lime_survey_timings(words: Sequence[str]) -> Rows:
    rows = lime_survey(words)
    rows[0] += [
        "Total time",
        "Group time: Birds",
        *(f"Question time: Q{n:02}" for n in range(1, 9)),
    ]
    return [
        rows[0],
        *(
            [*row, 60.5 + n, 60.1 + n, *(4.5 + n + i for i in range(8))]
            for n, row in enumerate(rows[1:])
        ),
    ]


def figure_eight_aggregated(words: Sequence[str]) -> Rows:
    """Return an aggregated report: one row per item, and no annotator."""
    header = "_unit_id,_golden,_unit_state,_trusted_judgments,_last_judgment_at,kind"
    header += ",kind:confidence,image_url"
    rows: Rows = [[*header.split(",")]]
    for i in range(len(ITEMS)):
        about = [700 + i, "false", "finalized", 7, when(i), words[i % len(words)]]
        rows.append([*about, 0.8 + i / 100, ITEMS[i]])
    return rows


def label_studio(words: Sequence[str]) -> Rows:
    header = ["annotation_id", "annotator", "created_at", "id", "image", "kind", "lead_time"]
    return long(
        header,
        lambda n, p, i: [n, p + 1, when(n), i, f"/data/{ITEMS[i]}", word(p, i, words), 4.5],
    )


def with_points(words: Sequence[str]) -> Rows:
    header = ["student", "item", "response", "score", "max score", "grade"]
    return long(
        header,
        lambda _n, p, i: [PEOPLE[p], ITEMS[i], word(p, i, words), (p + i) % 2, 1, "ABC"[p % 3]],
    )


def in_two_languages(words: Sequence[str]) -> Rows:
    """Return a table with a row of German names below the English ones."""
    rows = headless(words)
    return [["student", "item", "answer"], ["Schüler", "Aufgabe", "Antwort"], *rows]


def with_units(words: Sequence[str]) -> Rows:
    rows = long(
        ["student", "item", "answer", "seconds"],
        lambda n, p, i: [PEOPLE[p], ITEMS[i], word(p, i, words), 1.5 + n],
    )
    return [rows[0], ["name", "file", "choice", "s"], *rows[1:]]


def pavlovia(words: Sequence[str]) -> Rows:
    header = "participant,session,date,expName,trials.thisN,image,key_resp.keys,key_resp.rt"
    return long(
        header.split(","),
        lambda n, p, i: [f"p{p}", "1", "2025-11-16", "x", i, ITEMS[i], word(p, i, words), 0.5 + n],
    )


PROGRAMS: list[Callable[[Sequence[str]], Rows | list[dict[str, Any]]]] = [
    qualtrics,
    survey_monkey,
    appen,
    mturk,
    toloka,
    moodle,
    google_forms,
    lime_survey,
    gorilla,
    labelbox,
    doccano,
    prodigy,
    two_headers,
    with_ages,
    with_a_total,
    with_an_average,
    header_again,
    changed_answers,
    headless,
    headless_first_answer,
    key_and_response,
    flag,
    golden,
    one_stray,
    stranger,
    redcap,
    ms_forms,
    kahoot,
    socrative,
    canvas,
    typeform,
    jotform,
    kobo,
    js_psych,
    qualtrics_without_rows,
    qualtrics_legacy,
    qualtrics_short,
    survey_monkey_named,
    survey_monkey_choices,
    moodle_german,
    moodle_average,
    moodle_with_keys,
    moodle_short,
    prodigy_binary,
    prodigy_choice,
    labelbox_rows,
    doccano_lists,
    doccano_all,
    with_a_class,
    with_remarks,
    by_item_with_difficulty,
    lime_survey_texts,
    lime_survey_timings,
    figure_eight_aggregated,
    label_studio,
    with_points,
    in_two_languages,
    with_units,
    pavlovia,
]


def as_file(made: Rows | list[dict[str, Any]], folder: Path) -> Path:
    if isinstance(made[0], dict):
        path = folder / "answers.jsonl"
        path.write_text("\n".join(map(json.dumps, made)), encoding="utf-8")
    else:
        path = folder / "answers.csv"
        path.write_text(csv_text(made), encoding="utf-8")
    return path


def misread(answers: Answers, words: Sequence[str]) -> list[str]:
    """Return what was read wrongly, whatever annotators and items are called."""
    wrong = []
    found: dict[tuple[str, str], str] = {}
    for who, what, choice in zip(answers.person, answers.item, answers.choices, strict=True):
        name = answers.classes[choice].casefold()
        found[answers.people[who], answers.items[what]] = name
    expected = {(p, i): word(p, i, words).casefold() for p, i in pairs()}
    people, items = list(answers.people), list(answers.items)
    in_order = {(people.index(p), items.index(i)): text for (p, i), text in found.items()}
    if (len(people), len(items)) != (len(PEOPLE), len(ITEMS)):
        wrong.append(f"{len(people)} annotators and {len(items)} items")
    elif in_order != expected and {(p, i): c for (i, p), c in in_order.items()} != expected:
        wrong.append("other answers")
    for item, code in enumerate(answers.experts):
        if code >= 0 and answers.classes[code].casefold() != words[item % len(words)].casefold():
            wrong.append(f"the expert's label of item {item}")
    return wrong


CASES = [
    (program, words, options)
    for program in PROGRAMS
    for words, options in (
        (BIRDS, {}),
        (BIRDS, {"positive": "owl"}),
        (YES_NO, {}),
        (TRUE_FALSE, {}),
        (TRUE_FALSE, {"positive": "True"}),
        (("1", "2", "3"), {}),
    )
]


@pytest.mark.parametrize(
    ("program", "words", "options"),
    CASES,
    ids=[f"{p.__name__}-{w[0]}{'-positive' if o else ''}" for p, w, o in CASES],
)
def test_a_file_of_another_program_is_read_rightly_or_refused(
    program: Callable[[Sequence[str]], Rows | list[dict[str, Any]]],
    words: Sequence[str],
    options: dict[str, Any],
    tmp_path: Path,
) -> None:
    path = as_file(program(words), tmp_path)
    try:
        answers = Answers.read(path, **options)
    except InputError:
        return
    assert misread(answers, read_as(words, answers, options.get("positive"))) == []


UNAIDED = [
    *(qualtrics, survey_monkey, appen, mturk, toloka, moodle, google_forms, lime_survey, labelbox),
    *(labelbox_rows, doccano, doccano_lists, prodigy, prodigy_choice, ms_forms, kahoot, typeform),
    *(jotform, kobo, js_psych, moodle_german, moodle_average, moodle_with_keys, label_studio),
    *(with_a_total, with_an_average, golden, with_points),
]


@pytest.mark.parametrize("program", UNAIDED, ids=[program.__name__ for program in UNAIDED])
def test_a_file_of_another_program_is_read_without_an_option(
    program: Callable[[Sequence[str]], Rows | list[dict[str, Any]]], tmp_path: Path
) -> None:
    for words in (BIRDS, YES_NO):
        answers = Answers.read(as_file(program(words), tmp_path))
        assert misread(answers, read_as(words, answers, None)) == []


def read_as(words: Sequence[str], answers: Answers, positive: str | None) -> list[str]:
    """Return the names that the words have in the table that was read."""
    if len(answers.classes) > 2:
        return list(words)
    yes = canonical(positive) if positive else words[0].casefold()
    return [answers.classes[canonical(one) == yes] for one in words]
