// What pages share: the address, the state of the broker, and actions.

import { ApiError } from "./api.js";
import { address, button, byId, el, morph } from "./ui.js";

// clock: of /v1/clock. refresh(): read and show the page again, set by main.js.
export const app = { clock: null, refresh: async () => {} };

// Return the name and the parameters of the page in the address. null: the address names none.
export function route() {
  const found = /^#\/([a-z]*)(?:\?(.*))?$/s.exec(location.hash);
  if (found === null) return location.hash === "" ? { name: "", params: {} } : null;
  return { name: found[1], params: Object.fromEntries(new URLSearchParams(found[2] ?? "")) };
}

export function go(page, params) {
  location.hash = address(page, params);
}

// Change parameters of this page. The entry in the history stays the same.
export function setParams(changes) {
  const { name, params } = route();
  const given = Object.entries({ ...params, ...changes }).filter(([, value]) => value !== "" && value !== null && value !== false);
  history.replaceState(null, "", address(name, Object.fromEntries(given)));
  return app.refresh();
}

// Carry out an action of the test API, and show its outcome, or the broker's sentence if it refuses.
// Return whether it succeeded. fields: the form whose wrong field is marked.
export async function act(send, outcome = () => null, fields = null) {
  fields?.querySelectorAll("[aria-invalid]").forEach((each) => each.removeAttribute("aria-invalid"));
  let done = false;
  try {
    say(outcome(await send()));
    done = true;
  } catch (error) {
    const help = error.documentation ? el("a", { href: error.documentation }, "Documentation") : null;
    say(el("p", { class: "problem", role: "alert" }, failure(error), " ", help));
    const wrong = error.field ? fields?.elements.namedItem(error.field) : null;
    wrong?.setAttribute("aria-invalid", "true");
    wrong?.focus();
  }
  await app.refresh();
  return done;
}

export function failure(error) {
  return error instanceof ApiError ? error.message : "The broker does not respond.";
}

// Show a message until it is closed, or the next action. null: none.
export function say(...content) {
  const shown = content.filter((each) => each);
  morph(byId("outcome"), shown.length > 0 ? el("div", { class: "message" }, shown, button("Close", () => say())) : null);
}
