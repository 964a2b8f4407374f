import { Parser } from "htmlparser2";

/** Nobody's request has a longer text in it. */
const TEXT_MAX = 400;

/** What Outlook asks for; "" for what it left out. */
export type AutodiscoverRequest = { address: string; schema: string };

/**
 * Reads a request for settings ([MS-OXDSCLI] §2.2.3). Names of elements count without their prefix. No
 * entity but XML's own five and numbers is known, and nothing is ever fetched.
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
