// Calls to the server. A refusal carries the server's sentence; no answer at all is Unreachable.

export class Refused extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

export class Unreachable extends Error {}

const PATIENCE = 15_000; // milliseconds

export async function get<T>(path: string): Promise<T> {
  return call<T>(path, { method: "GET" });
}

export async function post<T = unknown>(path: string, said: unknown = {}): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return call<T>(path, { method: "POST", headers, body: JSON.stringify(said) });
}

export async function send<T = unknown>(path: string, body: FormData | string): Promise<T> {
  const headers = typeof body === "string" ? { "Content-Type": "text/csv" } : undefined;
  return call<T>(path, { method: "POST", headers, body, patience: 10 * PATIENCE });
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
  const said: unknown = await answer.json().catch(() => null);
  if (answer.ok) return said as T;
  if (answer.status >= 500) throw new Unreachable("The server could not answer.");
  throw new Refused(answer.status, detailOf(said));
}

/** The server's sentence: a text, or a list of what is wrong with the fields of a form. */
function detailOf(said: unknown): string {
  const detail = (said as { detail?: unknown } | null)?.detail;
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return "";
  return detail
    .map((one: { msg?: string }) => one.msg ?? "")
    .filter((msg) => msg !== "")
    .join(" ");
}
