import { escapeMarkup } from "#server/core/shared/text.ts";

/** Text that is already HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | false | Part[];

/** Tags a template as HTML: interpolated values are escaped unless they are HTML. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(
    literals.map((literal, at) => literal + (at < parts.length ? written(parts[at]) : "")).join(""),
  );
}

function written(part: Part): string {
  if (Array.isArray(part)) return part.map(written).join("");
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined || part === false) return "";
  return escapeMarkup(String(part));
}

/** Renders a description: empty lines separate paragraphs, lines with a dash are list items, backquotes mark code. */
export const prose = (text: string) =>
  text
    .split("\n\n")
    .map((paragraph) =>
      paragraph.startsWith("- ") ? listOf(paragraph) : html`<p>${inline(paragraph)}</p>`,
    );

const listOf = (lines: string) =>
  html`<ul>
    ${lines.split("\n").map((line) => html`<li>${inline(line.replace(/^- /, ""))}</li>`)}
  </ul>`;

export const inline = (text: string) =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
