// Optional: searches the page, collapses the table of contents on small screens, and applies the chosen language
// and the reader's domain to all examples.
const menu = document.querySelector(".menu");
const filter = document.querySelector("#filter");
const nothing = document.querySelector("#nothing");
const links = [...document.querySelectorAll("nav li a")];
const isSmall = matchMedia("(max-width: 48rem)");

filter.closest("search").hidden = false;
const fold = () => (menu.open = !isSmall.matches);
isSmall.addEventListener("change", fold);
fold();

filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/);
  for (const link of links) {
    const text = `${link.textContent} ${link.title}`.toLowerCase();
    link.parentElement.hidden = !words.every((word) => text.includes(word));
  }
  for (const list of document.querySelectorAll("nav ul")) {
    const isEmpty = [...list.children].every((item) => item.hidden);
    list.hidden = isEmpty;
    if (list.previousElementSibling) list.previousElementSibling.hidden = isEmpty;
  }
  const isFound = links.some((link) => !link.parentElement.hidden);
  nothing.textContent = isFound ? "" : "No matching endpoints";
});

filter.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  const first = links.find((link) => !link.parentElement.hidden);
  if (first) first.click();
});

document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  menu.open = true;
  filter.focus();
});

document.addEventListener("change", ({ target }) => {
  if (!target.name?.endsWith("-language")) return;
  const top = target.getBoundingClientRect().top;
  for (const choice of document.querySelectorAll(".choices input"))
    choice.checked =
      choice.value === target.value || (choice.checked && !hasValue(choice, target.value));
  // Examples above have changed their height: keep the clicked element in place.
  scrollBy(0, target.getBoundingClientRect().top - top);
});

const hasValue = (choice, value) =>
  [...choice.closest(".choices").querySelectorAll("input")].some((other) => other.value === value);

const domain = document.querySelector("#domain");
const codes = [...document.querySelectorAll(".examples code")].map((code) => [
  code,
  code.textContent,
]);
domain.closest("p").hidden = false;
domain.value = localStorage.getItem("docs-domain") ?? "";
const useDomain = () => {
  const name = domain.value.trim();
  for (const [code, text] of codes)
    code.textContent = name ? text.replaceAll(domain.placeholder, () => name) : text;
};
useDomain();
domain.addEventListener("input", () => {
  localStorage.setItem("docs-domain", domain.value);
  useDomain();
});

for (const link of links)
  link.addEventListener("click", () => isSmall.matches && (menu.open = false));

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries)
      if (isIntersecting)
        for (const link of links)
          if (link.hash === `#${target.id}`) link.setAttribute("aria-current", "true");
          else link.removeAttribute("aria-current");
  },
  { rootMargin: "-10% 0px -80% 0px" },
);
for (const part of document.querySelectorAll("article, #start, #errors, #privileges"))
  watcher.observe(part);
