import type { NoticeText } from "./notice-text.ts";

/** A notice as both parts of an email. */
export function writeNotice({ subject, paragraphs, link, footer }: NoticeText): {
  text: string;
  html: string;
} {
  return {
    text: [...paragraphs, `${link.label}: ${link.url}`, `-- \n${footer}`].join("\n\n"),
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(subject)}</title></head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:15px;line-height:1.5;color:#1b1b20;background:#ffffff">
<div style="max-width:560px">
<h1 style="font-size:18px;margin:0 0 16px">${escape(subject)}</h1>
${paragraphs.map((text) => `<p style="margin:0 0 16px">${escape(text)}</p>`).join("\n")}
<p style="margin:24px 0"><a href="${escape(link.url)}" style="color:#5239b3">${escape(link.label)}</a></p>
<p style="margin:0;font-size:13px;color:#62626c">${escape(footer)}</p>
</div></body></html>
`,
  };
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
