// Light or dark: the system's choice until the reader makes one.

const KEY = "tidemark-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = null; // for this page, if the browser stores nothing

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

// Apply the theme. Return "light" or "dark".
export function theme() {
  const found = chosen || stored() || (system.matches ? "dark" : "light");
  document.documentElement.dataset.theme = found;
  return found;
}

export function switchTheme() {
  chosen = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // The choice lasts as long as the page.
  }
  return theme();
}

export function onSystemTheme(changed) {
  system.addEventListener("change", changed);
}
