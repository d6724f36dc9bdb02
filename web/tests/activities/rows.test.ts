import { describe, expect, it } from "vitest";
import type { ActivityItem } from "../../src/api/schema.ts";
import {
  csvOf,
  emptyRow,
  MOST_OPTIONS,
  namedRows,
  rowOf,
  rowsIn,
  wrongIn,
} from "../../src/activities/rows.ts";

const parts = (text: string) =>
  rowsIn(text).map(({ text, right, wrong, explanation }) => [text, right, wrong, explanation]);

describe("pasted cells", () => {
  it("are question, right answer and wrong answers without a first line of names", () => {
    expect(parts("7 × 8\t56\t54\t63\n6 × 6\t36\t\t\n")).toEqual([
      ["7 × 8", "56", ["54", "63"], ""],
      ["6 × 6", "36", [], ""],
    ]);
  });

  it("follow a first line of names, in English and German, in any order", () => {
    const english =
      "Explanation,Answer,Question,Options\nbecause,Paris,Capital of France?,Lyon|Paris";
    expect(parts(english)).toEqual([["Capital of France?", "Paris", ["Lyon"], "because"]]);
    const german = "Frage;Lösung;Falsch1;Falsch2;Erklärung\nWer?;ich;du;er;darum";
    expect(parts(german)).toEqual([["Wer?", "ich", ["du", "er"], "darum"]]);
    const spanish = "\uFEFFPregunta\tRespuesta correcta\tRespuesta incorrecta 1\n¿2+2?\t4\t5";
    expect(parts(spanish)).toEqual([["¿2+2?", "4", ["5"], ""]]);
  });

  it("may have the right answer beside all answers, or its number", () => {
    const named = "Question\tAnswer 1\tAnswer 2\tCorrect answer\nWho?\tyou\tme\tme";
    expect(parts(named)).toEqual([["Who?", "me", ["you"], ""]]);
    const numbered = "Question\tAnswer 1\tAnswer 2\tCorrect\n5-4?\t2\t1\t2\n1+1?\t2\t3\t1";
    expect(parts(numbered)).toEqual([
      ["5-4?", "1", ["2"], ""],
      ["1+1?", "2", ["3"], ""],
    ]);
    const together = "Question;Options;Answer\nWho?;you | me;2";
    expect(parts(together)).toEqual([["Who?", "me", ["you"], ""]]);
  });

  it("may name the right answer by the letter of its column", () => {
    const right = ["Paris", ["Lyon", "Nice"], ""];
    for (const head of ["A\tB\tC\tCorrect", "Option A\tOption B\tOption C\tAnswer"])
      for (const key of ["B", "b", "Option B"]) {
        const rows = `Question\t${head}\nCapital?\tLyon\tParis\tNice\t${key}`;
        expect(parts(rows)).toEqual([["Capital?", ...right]]);
      }
    const gap = "Frage\tAntwort A\tAntwort B\tAntwort C\tLösung\nWer?\tdu\t\tich\tC";
    expect(parts(gap)).toEqual([["Wer?", "ich", ["du"], ""]]);
  });

  it("may contain the delimiter and quotes, if they are quoted", () => {
    expect(parts('"one, two","say ""hi""",no')).toEqual([["one, two", 'say "hi"', ["no"], ""]]);
  });

  it("have no empty lines, and each wrong answer once and no right one", () => {
    expect(parts("\n\nq\ta\tb\tb\ta\t \n\n")).toEqual([["q", "a", ["b"], ""]]);
    expect(rowsIn("")).toEqual([]);
  });

  it("have at most as many answers as there are buttons", () => {
    const wrong = Array.from({ length: 20 }, (_, n) => `w${n}`);
    expect(rowsIn(["q", "a", ...wrong].join("\t"))[0]?.wrong).toHaveLength(MOST_OPTIONS - 1);
  });
});

describe("wrong answers in one line", () => {
  it("are separated by |, or else by commas and semicolons", () => {
    expect(wrongIn("a, b | c")).toEqual(["a, b", "c"]);
    expect(wrongIn("1,5")).toEqual(["1,5"]); // a decimal comma
    expect(wrongIn(" ")).toEqual([]);
  });
});

describe("the rows of an activity", () => {
  it("keep what an item has", () => {
    const item: ActivityItem = {
      id: "France",
      label: "Paris",
      text: null,
      picture: "/p",
      explanation: null,
      question: "The capital?",
      options: ["Lyon", "Paris"],
    };
    const row = rowOf(item);
    expect([row.item, row.text, row.right, row.wrong]).toEqual([
      "France",
      "The capital?",
      "Paris",
      ["Lyon"],
    ]);
    expect([row.picture, row.explanation]).toEqual(["/p", ""]);
    const both = rowOf({ ...item, text: "Look at the map." });
    expect([both.text, both.question]).toEqual(["Look at the map.", "The capital?"]);
    expect(csvOf([both]).split("\r\n")[1]).toContain('"Look at the map.","The capital?"');
  });

  it("get names that no other row has, and empty ones are left out", () => {
    const rows = [
      { ...emptyRow(), text: "a" },
      emptyRow(),
      { ...emptyRow(), item: "item-1", text: "b" },
      { ...emptyRow(), picture: "/p" },
    ];
    expect(namedRows(rows).map((row) => row.item)).toEqual(["item-2", "item-1", "item-3"]);
  });

  it("become a table whose options include the right answer", () => {
    const rows = [
      {
        ...emptyRow(),
        item: "x",
        text: 'a "q"',
        right: "yes",
        wrong: ["no"],
        explanation: "so\nit is",
      },
      { ...emptyRow(), item: "y", text: "t", right: "yes" },
    ];
    const [head, first, second] = csvOf(rows).split("\r\n");
    expect(head).toBe(
      '"item","label","text","question","explanation",' +
        Array.from({ length: MOST_OPTIONS }, (_, n) => `"option${n + 1}"`).join(","),
    );
    expect(first).toBe('"x","yes","","a ""q""","so it is","yes","no","","","","","",""');
    expect(second).toBe('"y","yes","t","","","","","","","","","",""');
  });

  it("are the same when the table is read again", () => {
    const rows = rowsIn("question,answer,options,explanation\nq,a,b|c,why\nr,b,a,");
    const again = rowsIn(csvOf(namedRows(rows)));
    expect(again.map((row) => [row.text, row.right, row.wrong])).toEqual([
      ["q", "a", ["b", "c"]],
      ["r", "b", ["a"]],
    ]);
  });
});
