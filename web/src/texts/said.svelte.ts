// The sentences in the language chosen, for the pages to read: `said.now.join.welcome`.

import { keep, kept } from "../keep.ts";
import { firstLanguage, LANGUAGES } from "./choose.ts";
import { en, type Texts } from "./en.ts";

const KEY = "homeroom.language";

class Said {
  language = $state(firstLanguage(kept(KEY), navigator.languages));

  get now(): Texts {
    return LANGUAGES[this.language] ?? en;
  }

  choose(language: string): void {
    this.language = language;
    keep(KEY, language);
  }

  percent(share: number): string {
    return share.toLocaleString(this.language, { style: "percent", maximumFractionDigits: 0 });
  }

  /** A day as it is written where the browser is at home. */
  day(time: string): string {
    const here = navigator.languages.find((name) => name.split("-")[0] === this.language);
    return new Date(time).toLocaleDateString(here ?? this.language, { dateStyle: "long" });
  }

  number(value: number, digits = 1): string {
    return value.toLocaleString(this.language, { maximumFractionDigits: digits });
  }
}

export const said = new Said();
