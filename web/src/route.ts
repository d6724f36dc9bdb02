// The page that belongs to an address.

export type Route =
  | { page: "join"; code: string }
  | { page: "student" | "write" | "classes" }
  | { page: "first"; token: string }
  | { page: "editor"; id: string; copy: boolean }
  | { page: "report"; id: string; lesson: string }
  | { page: "class" | "letters" | "history" | "board"; id: string };

export function routeOf(path: string, query: string): Route {
  const asked = new URLSearchParams(query);
  const parts = path.split("/").filter((part) => part !== "");
  if (parts[0] === "student") return { page: "student" };
  if (parts[0] === "write") return { page: "write" };
  if (parts[0] === "board") return { page: "board", id: decoded(parts[1] ?? "") };
  if (parts[0] !== "teacher") return { page: "join", code: asked.get("code") ?? "" };
  if (parts[1] === "first") return { page: "first", token: asked.get("token") ?? "" };
  const id = decoded(parts[2] ?? "");
  if (parts[1] === "activities") return { page: "editor", id, copy: parts[3] === "copy" };
  if (parts[1] !== "classes" || id === "") return { page: "classes" };
  if (parts[3] === "report") return { page: "report", id, lesson: asked.get("lesson") ?? "" };
  const page = parts[3] === "letters" || parts[3] === "history" ? parts[3] : "class";
  return { page, id };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a per cent sign that encodes nothing
  }
}
