// SPDX-License-Identifier: Apache-2.0
// Renders the equations of a page with the copy of KaTeX that the site has.
for (const element of document.querySelectorAll(".math")) {
  katex.render(element.textContent, element, { displayMode: element.classList.contains("display") });
}
