// Requests to the server. A refusal has the server's sentence, and its code and values for other
// languages. Without an answer the error is Unreachable.

import type { Values } from "../texts/en.ts";
import type { ClassChoice, OfferedClass } from "./schema.ts";

export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly values: Values;
  /** The classes of a school's export, one of which must be chosen. */
  readonly classes: OfferedClass[];
  constructor(
    status: number,
    detail: string,
    code = "",
    values: Values = {},
    classes: OfferedClass[] = [],
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.values = values;
    this.classes = classes;
  }
}

export class Unreachable extends Error {}

const PATIENCE = 15_000; // milliseconds

export async function get<T>(path: string): Promise<T> {
  return call<T>(path, { method: "GET" });
}

export async function post<T = unknown>(path: string, body: unknown = {}): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return call<T>(path, { method: "POST", headers, body: JSON.stringify(body) });
}

export async function send<T = unknown>(path: string, body: FormData | Blob): Promise<T> {
  return call<T>(path, { method: "POST", body, patience: 10 * PATIENCE });
}

export async function remove(path: string): Promise<unknown> {
  return call(path, { method: "DELETE" });
}

async function call<T>(path: string, asked: RequestInit & { patience?: number }): Promise<T> {
  const { patience = PATIENCE, ...request } = asked;
  let answer: Response;
  try {
    answer = await fetch(path, { ...request, signal: AbortSignal.timeout(patience) });
  } catch {
    throw new Unreachable("The server did not answer.");
  }
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok) return body as T;
  if (answer.status >= 500) throw new Unreachable("The server could not answer.");
  const { detail, code, values, classes } = (body ?? {}) as Partial<ClassChoice>;
  const reason = typeof detail === "string" ? detail : "";
  throw new Refused(answer.status, reason, code, values, classes);
}

/** The classes in a refusal, sorted by name; usually there are none. */
export function classesIn(error: unknown, tag: string): OfferedClass[] {
  if (!(error instanceof Refused)) return [];
  const { compare } = new Intl.Collator(tag, { numeric: true }); // 7b before 10a
  return error.classes.toSorted((one, other) => compare(one.title, other.title));
}
