// Pictures from phones: turned upright, made smaller, and without the place where they were taken.

export const LARGEST_SIDE = 1600; // pixels
const PLAIN = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** A picture that this browser cannot read. */
export class UnreadablePicture extends Error {
  /** Phones save photos as HEIC, which most browsers cannot read. */
  readonly heic: boolean;
  constructor(name: string, heic: boolean) {
    super(name);
    this.heic = heic;
  }
}

export function isHeic(file: { name: string; type: string }): boolean {
  return /^image\/hei[cf]/.test(file.type) || /\.hei[cf]$/i.test(file.name);
}

export function isPicture(file: { name: string; type: string }): boolean {
  return file.type.startsWith("image/") || isHeic(file);
}

/** The size at which a picture is kept. */
export function fitted(width: number, height: number, most = LARGEST_SIDE): [number, number] {
  const scale = Math.min(1, most / Math.max(width, height));
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}

/** The picture as it is sent: upright, and no side longer than LARGEST_SIDE. */
export async function prepared(file: File): Promise<File> {
  if (file.type === "image/gif") return file; // it may move
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    if (PLAIN.includes(file.type) && !isHeic(file)) return file; // the server says what is wrong
    throw new UnreadablePicture(file.name, isHeic(file));
  }
  const [width, height] = fitted(bitmap.width, bitmap.height);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const kind = file.type === "image/png" ? "image/png" : "image/jpeg";
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, kind, 0.85));
  if (blob === null) return file;
  const name = file.name.replace(/\.[^.]*$/, "") + (kind === "image/png" ? ".png" : ".jpg");
  return new File([blob], name, { type: kind });
}
