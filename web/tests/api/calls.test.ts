import { afterEach, describe, expect, it, vi } from "vitest";
import { get, post, Refused, Unreachable } from "../../src/api/calls.ts";
import { sentence } from "../../src/api/trouble.ts";
import { en } from "../../src/texts/en.ts";

function server(status: number, body: unknown) {
  const asked = vi.fn(
    async (_path: string, _asked: RequestInit) => new Response(JSON.stringify(body), { status }),
  );
  vi.stubGlobal("fetch", asked);
  return asked;
}

afterEach(() => void vi.unstubAllGlobals());

describe("calls", () => {
  it("give what the server said", async () => {
    const asked = server(200, { fine: true });
    expect(await post("/api/x", { a: 1 })).toEqual({ fine: true });
    expect(asked.mock.calls[0]?.[1].body).toBe('{"a":1}');
  });

  it("say why they were refused, in the server's words", async () => {
    server(409, { detail: "The round is over." });
    await expect(get("/api/x")).rejects.toThrow(new Refused(409, "The round is over."));
  });

  it("put the complaints about a form together", async () => {
    server(422, { detail: [{ msg: "Too short." }, { msg: "No letters." }] });
    await expect(get("/api/x")).rejects.toThrow("Too short. No letters.");
  });

  it.each([500, 502, 503])("can be tried again after a status %i", async (status) => {
    server(status, {});
    await expect(get("/api/x")).rejects.toBeInstanceOf(Unreachable);
  });

  it("can be tried again when nobody answered", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    await expect(get("/api/x")).rejects.toBeInstanceOf(Unreachable);
  });
});

describe("the sentence for trouble", () => {
  it("is the page's own where the page knows better", () => {
    expect(sentence(new Refused(404, "Not found"), en, { 404: "wrong_code" })).toBe(
      en.trouble.wrong_code,
    );
  });

  it("is the server's otherwise", () => {
    expect(sentence(new Refused(409, "The round is over."), en)).toBe("The round is over.");
  });

  it("is always there", () => {
    expect(sentence(new Refused(400, ""), en)).toBe(en.trouble.other);
    expect(sentence(new Refused(429, ""), en)).toBe(en.trouble.too_often);
    expect(sentence(new Unreachable(""), en)).toBe(en.trouble.unreachable);
    expect(sentence("?", en)).toBe(en.trouble.other);
  });
});
