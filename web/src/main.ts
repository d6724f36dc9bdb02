import { mount } from "svelte";
import App from "./App.svelte";
import "./look/base.css";

const page = document.getElementById("page");
if (page !== null) mount(App, { target: page });
