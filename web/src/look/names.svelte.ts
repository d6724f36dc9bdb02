// Whether the teacher's pages show students' names; on a projector they can be hidden.

import { keep, kept } from "../keep.ts";

const KEY = "homeroom.names";

class Names {
  hidden = $state(kept(KEY) === "hidden");

  hide(yes: boolean): void {
    this.hidden = yes;
    keep(KEY, yes ? "hidden" : null);
  }
}

export const names = new Names();
