import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  fitted,
  isHeic,
  isPicture,
  LARGEST_SIDE,
  prepared,
  UnreadablePicture,
} from "../../src/activities/pictures.ts";

const file = (name: string, type: string) => new File(["bytes"], name, { type });

describe("the size of a picture", () => {
  it("stays as it is while it is small", () => {
    expect(fitted(640, 480)).toEqual([640, 480]);
    expect(fitted(LARGEST_SIDE, 1)).toEqual([LARGEST_SIDE, 1]);
  });

  it("keeps its shape when it is made smaller, upright or not", () => {
    expect(fitted(4000, 3000)).toEqual([1600, 1200]);
    expect(fitted(3000, 4000)).toEqual([1200, 1600]);
  });

  it("is never less than one pixel", () => {
    expect(fitted(100_000, 3)).toEqual([1600, 1]);
  });
});

describe("the kind of a file", () => {
  it("is HEIC by its type or its name", () => {
    expect(isHeic({ name: "a", type: "image/heic" })).toBe(true);
    expect(isHeic({ name: "IMG_1.HEIF", type: "" })).toBe(true);
    expect(isHeic({ name: "heic.jpg", type: "image/jpeg" })).toBe(false);
  });

  it("is a picture or not", () => {
    expect(isPicture({ name: "a.heic", type: "" })).toBe(true);
    expect(isPicture({ name: "a.png", type: "image/png" })).toBe(true);
    expect(isPicture({ name: "table.csv", type: "text/csv" })).toBe(false);
  });
});

describe("a picture before it is sent", () => {
  const drawn: number[][] = [];
  let kinds: string[] = [];

  beforeEach(() => {
    drawn.length = 0;
    kinds = [];
    vi.stubGlobal("document", {
      createElement: () => ({
        width: 0,
        height: 0,
        getContext: () => ({
          drawImage: (_: unknown, ...place: number[]) => drawn.push(place),
        }),
        toBlob: (done: (blob: Blob) => void, kind: string) => {
          kinds.push(kind);
          done(new Blob(["small"], { type: kind }));
        },
      }),
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  const reads = (width: number, height: number) => {
    const read = vi.fn(() => Promise.resolve({ width, height, close: () => {} }));
    vi.stubGlobal("createImageBitmap", read);
    return read;
  };

  it("is turned upright, made smaller, and written again without its place", async () => {
    const read = reads(4000, 3000);
    const found = await prepared(file("IMG_1.jpeg", "image/jpeg"));
    expect(read).toHaveBeenCalledWith(expect.anything(), { imageOrientation: "from-image" });
    expect(drawn).toEqual([[0, 0, 1600, 1200]]);
    expect([found.name, found.type, await found.text()]).toEqual([
      "IMG_1.jpg",
      "image/jpeg",
      "small",
    ]);
  });

  it("stays a PNG if it was one, and a moving GIF is not touched", async () => {
    reads(10, 10);
    expect((await prepared(file("leaf.png", "image/png"))).name).toBe("leaf.png");
    expect(kinds).toEqual(["image/png"]);
    const moving = file("a.gif", "image/gif");
    expect(await prepared(moving)).toBe(moving);
  });

  it("is refused with a reason if it is HEIC that the browser cannot read", async () => {
    vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no")));
    const refused = prepared(file("IMG_2.HEIC", ""));
    await expect(refused).rejects.toBeInstanceOf(UnreadablePicture);
    await expect(refused).rejects.toMatchObject({ heic: true, message: "IMG_2.HEIC" });
    await expect(prepared(file("a.bmp", "image/bmp"))).rejects.toMatchObject({ heic: false });
  });

  it("is left to the server if it is damaged", async () => {
    vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no")));
    const damaged = file("a.png", "image/png");
    expect(await prepared(damaged)).toBe(damaged);
  });
});
