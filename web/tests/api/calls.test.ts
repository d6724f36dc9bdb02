import { afterEach, describe, expect, it, vi } from "vitest";
import { classesIn, get, post, Refused, Unreachable } from "../../src/api/calls.ts";
import { sentence } from "../../src/api/trouble.ts";
import { de } from "../../src/texts/de.ts";
import { en, type Texts } from "../../src/texts/en.ts";

function server(status: number, body: unknown) {
  const asked = vi.fn(
    async (_path: string, _asked: RequestInit) => new Response(JSON.stringify(body), { status }),
  );
  vi.stubGlobal("fetch", asked);
  return asked;
}

afterEach(() => void vi.unstubAllGlobals());

describe("calls", () => {
  it("return what the server answered", async () => {
    const asked = server(200, { fine: true });
    expect(await post("/api/x", { a: 1 })).toEqual({ fine: true });
    expect(asked.mock.calls[0]?.[1].body).toBe('{"a":1}');
  });

  it("report a refusal with its sentence, code and values", async () => {
    server(409, { detail: "Round 3 is over.", code: "round_over", values: { round: 3 } });
    const why = await get("/api/x").catch((error: unknown) => error);
    expect(why).toEqual(new Refused(409, "Round 3 is over.", "round_over", { round: 3 }));
    expect(why).toMatchObject({ status: 409, code: "round_over", values: { round: 3 } });
  });

  it("list the classes of which one must be chosen", async () => {
    const classes = [{ id: "c1", title: "7b", students: 24 }];
    server(409, { detail: "Choose.", code: "roster_classes", values: { classes: 1 }, classes });
    await expect(post("/api/x")).rejects.toMatchObject({ code: "roster_classes", classes });
  });

  it.each([null, "a proxy's page", { detail: [{ msg: "Too short." }] }])(
    "accept a refusal that is not the server's own",
    async (body) => {
      server(413, body);
      await expect(get("/api/x")).rejects.toEqual(new Refused(413, ""));
    },
  );

  it.each([500, 502, 503])("can be tried again after a status %i", async (status) => {
    server(status, {});
    await expect(get("/api/x")).rejects.toBeInstanceOf(Unreachable);
  });

  it("can be tried again when no answer came", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    await expect(get("/api/x")).rejects.toBeInstanceOf(Unreachable);
  });
});

describe("the sentence of an error", () => {
  it("is in the language of the page", () => {
    const over = new Refused(409, "Round 3 is over.", "round_over", { round: 3 });
    expect(sentence(over, de)).toBe("Runde 3 ist vorbei.");
    expect(sentence(new Refused(404, "No.", "wrong_code"), en)).toBe("No.");
  });

  it("is empty where nothing failed, and the page's own where there is one", () => {
    expect(sentence(null, de)).toBe("");
    expect(sentence((texts: Texts) => texts.write.empty, de)).toBe(de.write.empty);
  });

  it("writes numbers as the language does", () => {
    const large = new Refused(413, "", "too_large", { most: 0.25 });
    expect(sentence(large, de)).toContain("0,25 MB");
  });

  it("differs for a name that is taken and a class that is full", () => {
    const taken = sentence(new Refused(409, "", "name_taken", { name: "Ada" }), de);
    const full = sentence(new Refused(409, "", "class_full", { most: 1000 }), de);
    expect(taken).toContain("Ada");
    expect(full).toContain("voll");
  });

  it("is right for a zip and for single files", () => {
    expect(sentence(new Refused(422, "", "roster_no_users"), de)).not.toMatch(/zip/i);
    const values = { name: "results.csv", file: 16, most: 128 };
    const large = sentence(new Refused(413, "", "zip_large", values), de);
    expect(large).toContain("results.csv");
  });

  it.each(["", "from_a_newer_server", "constructor"])("is the server's without a text", (code) => {
    expect(sentence(new Refused(409, "It is so.", code), de)).toBe("It is so.");
  });

  it("is always there", () => {
    expect(sentence(new Refused(400, ""), en)).toBe(en.trouble.other);
    expect(sentence(new Unreachable(""), en)).toBe(en.trouble.unreachable);
    expect(sentence("?", en)).toBe(en.trouble.other);
  });
});

const called = (...titles: string[]) =>
  titles.map((title, place) => ({ id: `c${place}`, title, students: place }));

describe("the classes that are offered", () => {
  it("come in the order that people expect", () => {
    const classes = called("10a", "7b", "Zoo", "7a", "Ähren");
    const found = classesIn(new Refused(409, "", "roster_classes", {}, classes), "de");
    expect(found.map(({ title }) => title)).toEqual(["7a", "7b", "10a", "Ähren", "Zoo"]);
    expect(found[0]).toEqual({ id: "c3", title: "7a", students: 3 });
  });

  it.each([null, new Unreachable(""), new Refused(422, "", "roster_no_class")])(
    "are none in other errors",
    (error) => {
      expect(classesIn(error, "en")).toEqual([]);
    },
  );
});
