import { Parser } from "htmlparser2";

/** Longer than any real request's. */
const TEXT_MAX = 400;

/** "" for what Outlook left out. */
export type AutodiscoverRequest = { address: string; schema: string };

/**
 * Parses an autodiscover request ([MS-OXDSCLI] §2.2.3). Ignores namespace prefixes. Resolves only XML's five
 * entities and numeric ones, and never fetches anything.
 */
export function readAutodiscover(xml: string): AutodiscoverRequest {
  const read: AutodiscoverRequest = { address: "", schema: "" };
  const fields: Record<string, keyof AutodiscoverRequest> = {
    emailaddress: "address",
    acceptableresponseschema: "schema",
  };
  const open: string[] = [];
  const parser = new Parser(
    {
      onopentagname(name) {
        open.push(name.replace(/^.*:/, "").toLowerCase());
      },
      ontext(text) {
        const field = fields[open.at(-1) ?? ""];
        if (field) read[field] = (read[field] + text).slice(0, TEXT_MAX);
      },
      onclosetag() {
        open.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  return { address: read.address.trim(), schema: read.schema.trim() };
}
