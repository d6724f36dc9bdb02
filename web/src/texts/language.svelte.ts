// The texts in the chosen language: `language.now.join.welcome`.

import { keep, kept } from "../keep.ts";
import { firstLanguage, LANGUAGES } from "./choose.ts";
import { en, type Texts } from "./en.ts";

const KEY = "homeroom.language";

class Language {
  code = $state(firstLanguage(kept(KEY), navigator.languages));

  get now(): Texts {
    return LANGUAGES[this.code] ?? en;
  }

  choose(code: string): void {
    this.code = code;
    keep(KEY, code);
  }

  percent(share: number): string {
    return share.toLocaleString(this.code, { style: "percent", maximumFractionDigits: 0 });
  }

  /** A day in the format of the browser's region. */
  day(time: string): string {
    return new Date(time).toLocaleDateString(this.region, { dateStyle: "long" });
  }

  /** A day without the year. */
  shortDay(time: string): string {
    return new Date(time).toLocaleDateString(this.region, { day: "numeric", month: "short" });
  }

  /** The language as it is written in the browser's region. */
  private get region(): string {
    return navigator.languages.find((name) => name.split("-")[0] === this.code) ?? this.code;
  }

  /** A whole number with its sign. */
  signed(value: number): string {
    return value.toLocaleString(this.code, { maximumFractionDigits: 0, signDisplay: "exceptZero" });
  }

  number(value: number, digits = 1): string {
    return value.toLocaleString(this.code, { maximumFractionDigits: digits });
  }
}

export const language = new Language();
