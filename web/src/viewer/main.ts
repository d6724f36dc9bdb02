import { mount } from "svelte";
import "../look/base.css";
import type { PageData } from "./page.ts";
import Viewer from "./Viewer.svelte";

const data = document.getElementById("page-data");
const page = document.getElementById("page");
if (data !== null && page !== null)
  mount(Viewer, { target: page, props: { page: JSON.parse(data.textContent) as PageData } });
