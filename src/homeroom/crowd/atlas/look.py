"""How the drawings look, and how they answer the pointer; no script is needed."""

STYLE = """
.map { display: block; width: 100%; height: auto; border: 1px solid #e3e3e3; border-radius: 6px; }
.map .person { stroke-width: 1.1; stroke-opacity: .28; }
.map .person:hover { stroke-width: 3.5; stroke-opacity: 1; }
.map .middle { stroke-width: 3.2; } .map .middle:hover, .map line.target:hover { stroke-width: 5; }
.map line.target { stroke-width: 3; stroke-dasharray: 9 5; }
.map .arrow { pointer-events: none; }
.map .name { font-size: 15px; font-weight: 700; text-anchor: middle;
             paint-order: stroke; stroke: #fff; stroke-width: 4px; }
.map .sure { display: none; fill: none; stroke: #4a4a4a; stroke-opacity: .3; stroke-width: .8;
             pointer-events: none; }
.drawn:has(.sureness:checked) .sure { display: inline; }
.map .item { transform-box: fill-box; transform-origin: center; }
.map circle.item:hover { transform: scale(1.8); } .map g.item:hover { transform: scale(3.2); }
.switches { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; margin: 0 0 .6rem; }
.switches label { display: flex; align-items: center; gap: .4rem; cursor: pointer; }
.switches i { width: 1.4rem; height: .35rem; border-radius: 2px; }
table.words td:last-child { min-width: 15rem; }
table.words td:not(:last-child) { white-space: nowrap; }
.strip { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: 0; padding: 0; }
.strip li { min-width: 4.6rem; max-width: 9rem; padding: .4rem .6rem; border-radius: 6px;
            border: 1px solid #c9c9c9; text-align: center; line-height: 1.3; }
.strip li.yes { border-top: 4px solid #0072b2; } .strip li.no { border-top: 4px solid #d55e00; }
.strip img { display: block; width: 4.4rem; height: 4.4rem; object-fit: contain; margin: 0 auto; }
.strip b { display: block; font-weight: 600; overflow-wrap: anywhere; font-size: .9rem; }
.strip span { color: #4a4a4a; font-size: .88rem; }
"""
