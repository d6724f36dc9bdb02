// Writes the letters of a lesson one after the other, as fast as they were written.
"use strict";
(() => {
  const told = JSON.parse(document.getElementById("lesson-data").textContent);
  const at = (id) => document.getElementById(id);
  const stage = at("stage"), model = at("model"), pen = at("pen"), strokes = at("strokes");
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const REST = 0.9, SEEN = 3.0; // seconds after a letter, and before a letter that stands still

  let lesson = 0, letter = 0, clock = 0, playing = false, last = null, waited = 0;
  let paths = [], speed = 1, frame = 0, alone = false; // alone: only this letter is written

  const letters = () => told.lessons[lesson].letters;
  const current = () => letters()[letter];

  // A smooth line through all points (Catmull and Rom's); one point is a dot.
  function line(points) {
    let path = "M" + points[0][0] + " " + points[0][1];
    if (points.length === 1) return path + "h0";
    for (let i = 0; i + 1 < points.length; i++) {
      const a = points[Math.max(0, i - 1)], b = points[i], c = points[i + 1];
      const d = points[Math.min(points.length - 1, i + 2)];
      path += "C" + (b[0] + (c[0] - a[0]) / 6) + " " + (b[1] + (c[1] - a[1]) / 6) +
        " " + (c[0] - (d[0] - b[0]) / 6) + " " + (c[1] - (d[1] - b[1]) / 6) +
        " " + c[0] + " " + c[1];
    }
    return path;
  }

  // How far along a stroke the pen is at a time: [points done, share of the next step].
  function reached(times, now) {
    let low = 0, high = times.length - 1;
    if (now >= times[high]) return [high, 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= now) low = middle; else high = middle;
    }
    const span = times[high] - times[low];
    return [low, span > 0 ? (now - times[low]) / span : 1];
  }

  function partOf(stroke, now) {
    const [done, share] = reached(stroke.t, now);
    const part = stroke.p.slice(0, done + 1);
    if (share > 0 && done + 1 < stroke.p.length) {
      const [a, b] = [stroke.p[done], stroke.p[done + 1]];
      part.push([a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]);
    }
    return part;
  }

  function draw() {
    const shown = current();
    let tip = null;
    shown.strokes.forEach((stroke, number) => {
      if (clock < stroke.t[0]) { paths[number].setAttribute("d", ""); return; }
      const part = partOf(stroke, clock);
      paths[number].setAttribute("d", line(part));
      tip = part[part.length - 1];
    });
    const writing = tip !== null && clock < shown.seconds;
    pen.style.display = writing ? "" : "none";
    if (tip !== null) { pen.setAttribute("cx", tip[0]); pen.setAttribute("cy", tip[1]); }
  }

  function describe() {
    const shown = current(), many = letters().length;
    at("number").textContent = "Letter " + (letter + 1) + " of " + many;
    at("verdict").textContent = shown.good ? "well written: copy it" : "to be corrected";
    at("verdict").className = shown.good ? "good" : "bad";
    told.scores.forEach((name, place) => {
      const share = Math.min(1, shown.scores[place]);
      at("score-" + place).setAttribute("width", (100 * share).toFixed(1));
      at("said-" + place).textContent = shown.scores[place].toFixed(2);
    });
    document.querySelectorAll(".strip button").forEach((button) => {
      const here = +button.dataset.lesson === lesson && +button.dataset.letter === letter;
      if (here) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    at("back").disabled = letter === 0;
    at("on").disabled = letter === many - 1;
  }

  function show(number, from) {
    letter = Math.max(0, Math.min(number, letters().length - 1));
    clock = still.matches ? Infinity : from; // whoever asked for no motion sees whole letters
    waited = 0;
    paths = current().strokes.map(() =>
      document.createElementNS("http://www.w3.org/2000/svg", "path"));
    strokes.replaceChildren(...paths);
    describe();
    draw();
  }

  function whole(number) {
    pause();
    show(number, Infinity);
  }

  function tick(now) {
    if (!playing) return;
    const passed = last === null ? 0 : Math.min(0.25, (now - last) / 1000) * speed;
    last = now;
    waited += passed;
    clock += passed;
    if (!still.matches) draw();
    const over = still.matches ? waited > SEEN : clock > current().seconds + REST;
    if (over && (alone || letter + 1 >= letters().length)) { pause(); return; }
    if (over) show(letter + 1, 0);
    frame = window.requestAnimationFrame(tick);
  }

  function start() {
    playing = true;
    last = null;
    at("play").textContent = "Pause";
    frame = window.requestAnimationFrame(tick);
  }

  function play() {
    if (playing) return;
    const over = clock > current().seconds;
    if (over) show(letter + 1 < letters().length ? letter : 0, 0);
    alone = false;
    start();
  }

  // Writes this letter only, so that there is time to correct it.
  function again() {
    whole(letter);
    if (still.matches) return;
    show(letter, 0);
    alone = true;
    start();
  }

  function pause() {
    playing = false;
    window.cancelAnimationFrame(frame);
    at("play").textContent = "Play";
  }

  function step(by) {
    if (playing) show(letter + by, 0);
    else whole(letter + by);
    say();
  }

  // For those who listen: said when they step, not sixty times a second.
  function say() {
    const answer = at("answer").checked ? ", " + at("verdict").textContent : "";
    at("heard").textContent = at("number").textContent + answer + ".";
  }

  function choose(number) {
    lesson = number;
    document.querySelectorAll("[role=tab]").forEach((tab) => {
      const here = +tab.dataset.lesson === number;
      tab.setAttribute("aria-selected", here ? "true" : "false");
      tab.tabIndex = here ? 0 : -1;
    });
    document.querySelectorAll("[role=tabpanel]").forEach((panel) => {
      panel.hidden = +panel.dataset.lesson !== number;
    });
    const some = letters().length > 0;
    at("player").hidden = !some;
    if (some) whole(0); else pause();
  }

  at("play").addEventListener("click", () => (playing ? pause() : play()));
  at("again").addEventListener("click", again);
  at("back").addEventListener("click", () => step(-1));
  at("on").addEventListener("click", () => step(1));
  at("speed").addEventListener("input", (event) => {
    speed = 2 ** +event.target.value;
    at("speed-said").textContent = (speed < 1 ? speed.toFixed(2) : speed.toFixed(1)) + "×";
    event.target.setAttribute("aria-valuetext", at("speed-said").textContent);
  });
  at("ghost").addEventListener("change", (event) => {
    model.style.display = event.target.checked ? "" : "none";
  });
  at("answer").addEventListener("change", (event) => {
    document.documentElement.classList.toggle("asking", !event.target.checked);
    say();
  });
  document.querySelectorAll(".strip button").forEach((button) => {
    button.addEventListener("click", () => {
      whole(+button.dataset.letter);
      say();
      again();
    });
  });
  const tabs = [...document.querySelectorAll("[role=tab]")];
  tabs.forEach((tab, place) => {
    tab.addEventListener("click", () => choose(+tab.dataset.lesson));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const next = tabs[(place + by + tabs.length) % tabs.length];
      choose(+next.dataset.lesson);
      next.focus();
    });
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || at("player").hidden) return;
    const field = event.target.closest("input, a");
    if (event.key === " " && !event.target.closest("button, input")) {
      event.preventDefault();
      if (playing) pause(); else play();
    } else if (field) { return;
    } else if (event.key === "ArrowRight") { event.preventDefault(); step(1);
    } else if (event.key === "ArrowLeft") { event.preventDefault(); step(-1);
    } else if (event.key === "Home") { event.preventDefault(); step(-letter);
    } else if (event.key === "End") { event.preventDefault(); step(letters().length);
    } else if (event.key.toLowerCase() === "r") { again(); }
  });

  document.documentElement.classList.add("lively");
  stage.setAttribute("viewBox", told.box.join(" "));
  model.setAttribute("d", told.model.map(line).join(""));
  choose(0);
  if (window.location.hash === "#go" && !at("player").hidden) { show(0, 0); play(); }
})();
