// The items of an activity as rows of a table: pasted from a spreadsheet, and sent as CSV.

import type { ActivityItem } from "../api/schema.ts";

export const MOST_OPTIONS = 8;

export interface EditedRow {
  /** The name of the item; empty for a new one. */
  item: string;
  text: string;
  /** A question beside the text; the editor keeps it as it is. */
  question: string;
  right: string;
  /** The wrong answers; if there are none, the answers of the other items are offered. */
  wrong: string[];
  explanation: string;
  /** The address of the picture that the item has already. */
  picture: string | null;
  /** A new picture. */
  file: File | null;
}

export function emptyRow(): EditedRow {
  return {
    item: "",
    text: "",
    question: "",
    right: "",
    wrong: [],
    explanation: "",
    picture: null,
    file: null,
  };
}

export function rowOf(item: ActivityItem): EditedRow {
  const right = item.label ?? "";
  return {
    item: item.id,
    text: item.text ?? item.question ?? "",
    question: item.text ? (item.question ?? "") : "",
    right,
    wrong: (item.options ?? []).filter((option) => option !== right),
    explanation: item.explanation ?? "",
    picture: item.picture,
    file: null,
  };
}

/** The names of columns that the server knows, too. */
const COLUMNS: Record<string, string[]> = {
  text: words(
    "text statement aussage question questiontext fragetext enunciado frage aufgabe pregunta domanda pergunta vraag pytanie fråga " +
      "spørgsmål spørsmål вопрос soru 问题 题目 問題 質問 문제 질문 item name",
  ),
  right: words(
    "label answer class right rightanswer correct correctanswer correctanswer(s) solution antwort " +
      "richtig correctoption correctchoice correctletter rightoption answerkey key richtigeoption " +
      "korrekt korrekteantwort correcta opcióncorrecta corretta correta " +
      "richtigeantwort lösung réponse bonneréponse réponsecorrecte respuesta respuestacorrecta " +
      "risposta rispostacorretta resposta respostacorreta antwoord juisteantwoord odpowiedź " +
      "poprawnaodpowiedź svar ответ cevap 答案 答え 正解 정답",
  ),
  wrong: words(
    "wrong wronganswer wronganswers incorrect incorrectanswer incorrectanswers distractor distractors " +
      "falsch falscheantwort falscheantworten distraktor faux mauvaiseréponse mauvaisesréponses " +
      "incorrecta respuestaincorrecta falsa errata sbagliata rispostasbagliata rispostaerrata " +
      "errada respostaerrada fout foutantwoord błędna błędnaodpowiedź fel felsvar forkert feil " +
      "неверно yanlış 错误答案 誤答 오답",
  ),
  explanation: words(
    "explanation because why erklärung begründung warum explication explicación spiegazione " +
      "explicação uitleg wyjaśnienie förklaring",
  ),
};

/** Columns with several options each, separated by |, the right one among them. */
const OPTIONS =
  /^(options?|answers|choices|antworten|auswahl|choix|opciones|opzioni|opções|opties)$/;

/** Columns with one option each: a word and a number or a letter, or just a letter. */
const OPTION =
  /^(?:option|answer|choice|answeroption|answerchoice|possibleanswer|alternative|antwort|auswahl|antwortmöglichkeit|antwortoption|möglichkeit|réponse|choix|proposition|respuesta|opción|opcion|alternativa|risposta|opzione|scelta|resposta|opção|opcao|antwoord|optie|odpowiedź)?\(?(\d{1,2}|[a-j])[):]?(?:\(.*\))?$/;

function words(text: string): string[] {
  return text.split(" ");
}

/** The rows of a text that was copied from a spreadsheet, or of CSV. */
export function rowsIn(text: string): EditedRow[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const cells = lines.map((line) => cellsIn(line, delimiterOf(lines[0] ?? "")));
  const head = (cells[0] ?? []).map((cell) => cell.toLowerCase().replace(/[\s_.\-\uFEFF]+/g, ""));
  const has = (part: string, cell: string) => COLUMNS[part]?.includes(cell.replace(/\d+$/, ""));
  const place = (part: string) => {
    const exact = head.findIndex((cell) => COLUMNS[part]?.includes(cell));
    return exact >= 0 ? exact : head.findIndex((cell) => has(part, cell));
  };
  const right = place("right");
  if (right < 0 || place("text") < 0)
    return cells.map(([text = "", right = "", ...wrong]) => made(text, right, wrong));
  const keys = head.map((cell) => OPTION.exec(cell)?.[1] ?? null);
  const options = cells.slice(1).map((row) => choicesIn(row, head, keys));
  const named = areKeys(
    cells.slice(1).map((row) => row[right] ?? ""),
    options,
  );
  return cells.slice(1).map((row, line) => {
    const all = (part: string) => row.filter((_, column) => has(part, head[column] ?? ""));
    const wrong = [...(options[line]?.values() ?? []), ...parts(all("wrong"))];
    const label = row[right] ?? "";
    // A table may have a text and a question, of which one is empty; its name is the last resort.
    const texts = COLUMNS["text"]?.map((name) => row[head.indexOf(name)] ?? "") ?? [];
    return {
      ...made(
        texts.find((cell) => cell !== "") ?? "",
        named ? (options[line]?.get(keyIn(label)) ?? label) : label,
        wrong,
      ),
      explanation: all("explanation")[0] ?? "",
    };
  });
}

/** The options of a row, by the numbers of their columns, or by their places in one column. */
function choicesIn(row: string[], head: string[], keys: (string | null)[]): Map<number, string> {
  const own = keys.filter((key) => key !== null).length > 1;
  const together = parts(row.filter((_, place) => OPTIONS.test(head[place] ?? "")));
  const found = new Map(together.map((text, place) => [place + 1, text]));
  keys.forEach((key, place) => {
    const text = (row[place] ?? "").trim();
    if (own && key !== null && text !== "") found.set(keyIn(key), text);
  });
  return found;
}

/** The number that a number or a letter stands for; perhaps after a word, as in "Option B". */
function keyIn(label: string): number {
  const key = OPTION.exec(label.toLowerCase().replace(/[\s_.\-]+/g, ""))?.[1] ?? "";
  return /^[a-j]$/.test(key) ? key.charCodeAt(0) - 96 : Number(key || NaN);
}

/** Whether the right answers are numbers or letters of options: one of them is not an option. */
function areKeys(labels: string[], options: Map<number, string>[]): boolean {
  const own = labels.map((label, line) => ({ label, among: options[line] ?? new Map() }));
  const may = own.every(({ label, among }) => among.has(keyIn(label)));
  return may && own.some(({ label, among }) => ![...among.values()].includes(label));
}

function made(text: string, right: string, wrong: string[]): EditedRow {
  return {
    ...emptyRow(),
    text,
    right,
    wrong: several(wrong.filter((one) => one.trim() !== right)),
  };
}

function several(words: string[]): string[] {
  return [...new Set(tidy(words))].slice(0, MOST_OPTIONS - 1);
}

/** The answers in some cells, which are separated by |. */
function parts(cells: string[]): string[] {
  return tidy(cells.flatMap((cell) => cell.split("|")));
}

function tidy(words: string[]): string[] {
  return words.map((word) => word.trim()).filter((word) => word !== "");
}

/** Wrong answers from one line of text. */
export function wrongIn(text: string): string[] {
  return several(text.split("|"));
}

function delimiterOf(line: string): string {
  return ["\t", ";", ","].find((one) => line.includes(one)) ?? "\t";
}

function cellsIn(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (let place = 0; place < line.length; place++) {
    const sign = line[place];
    if (quoted && sign === '"' && line[place + 1] === '"') {
      cell += '"';
      place += 1;
    } else if (sign === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (sign === delimiter && !quoted) {
      cells.push(cell.trim());
      cell = "";
    } else cell += sign;
  }
  return [...cells, cell.trim()];
}

/** Rows that are not empty, with a name each. */
export function namedRows(rows: EditedRow[]): EditedRow[] {
  const full = rows.filter((row) => row.text !== "" || row.right !== "" || row.file || row.picture);
  const taken = new Set(full.map((row) => row.item));
  let number = 0;
  return full.map((row) => {
    if (row.item !== "") return row;
    do number += 1;
    while (taken.has(`item-${number}`));
    return { ...row, item: `item-${number}` };
  });
}

/** The table that is sent to the server. */
export function csvOf(rows: EditedRow[]): string {
  const options = Array.from({ length: MOST_OPTIONS }, (_, place) => `option${place + 1}`);
  const head = ["item", "label", "text", "question", "explanation", ...options];
  const body = rows.map((row) => {
    const own = row.wrong.length > 0 && row.right !== "" ? [row.right, ...row.wrong] : [];
    const alone = own.length > 0 ? ["", row.text] : [row.text, ""];
    const texts = row.question !== "" ? [row.text, row.question] : alone;
    return [row.item, row.right, ...texts, row.explanation, ...options.map((_, n) => own[n] ?? "")];
  });
  return [head, ...body].map((row) => row.map(quoted).join(",")).join("\r\n");
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""').replace(/\s+/g, " ").trim()}"`;
}
