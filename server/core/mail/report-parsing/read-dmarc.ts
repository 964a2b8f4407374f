import { Parser } from "htmlparser2";
import ipaddr from "ipaddr.js";
import { z } from "zod";

import { readDomain } from "#server/core/shared/addresses/parse-address.ts";
import { plainText } from "#server/core/shared/text.ts";

import { readPeriod, type ReportPeriod } from "./unpack.ts";

/** A validated DMARC aggregate report. */
export type DmarcReading = ReportPeriod & {
  orgName: string;
  reportId: string;
  /** The domain whose policy was applied. */
  domain: string;
  /** The published policy by tag: `p`, `sp`, `adkim`, … */
  policy: Record<string, string>;
  /**
   * JSON arrays of rows with the column names of dmarc_sources. As text, 100,000 rows pass between threads and to the
   * database without being copied one by one.
   */
  rows: string[];
};

const ROWS_MAX = 100_000;
const ROWS_PER_BATCH = 2_000;
const MESSAGES_MAX = 1_000_000_000;
const RESULTS_PER_ROW_MAX = 20;
const POLICY_TAGS = ["p", "sp", "np", "adkim", "aspf", "pct", "fo", "testing", "discovery_method"];

const Header = z.object({
  orgName: z.string().min(1),
  reportId: z.string().min(1),
  domain: z.string(),
  begin: z.coerce.number().int().positive(),
  end: z.coerce.number().int().positive(),
});

/**
 * Parses an aggregate report (RFC 7489, appendix C, or RFC 9990) leniently, since reporters deviate. Skips invalid
 * rows.
 *
 * @throws Error if the report as a whole is invalid
 */
export function readDmarcReport(xml: string, now: Date): DmarcReading {
  const sections = new Map<string, XmlElement>();
  const rows = new RowBatches();
  readSections(xml, (name, section) => {
    if (name === "record") rows.add(section);
    else if (!sections.has(name)) sections.set(name, section);
  });
  const metadata = sections.get("report_metadata");
  const published = sections.get("policy_published");
  if (!metadata || !published) throw new Error("Not a DMARC report");
  const header = Header.safeParse({
    orgName: plainText(metadata.at("org_name") || metadata.at("email")),
    reportId: plainText(metadata.at("report_id")),
    domain: readDomain(published.at("domain").toLowerCase().replace(/\.$/, "")),
    begin: metadata.at("date_range", "begin"),
    end: metadata.at("date_range", "end"),
  });
  if (!header.success) throw new Error("The DMARC report is incomplete");
  const { begin, end, ...named } = header.data;
  const period = readPeriod(begin * 1000, end * 1000, now);
  if (!period) throw new Error("The DMARC report's period is implausible");
  const policy = POLICY_TAGS.map((tag) => [tag, plainText(published.at(tag), 40)] as const);
  return {
    ...named,
    ...period,
    policy: Object.fromEntries(policy.filter(([, value]) => value !== "")),
    rows: rows.end(),
  };
}

class RowBatches {
  #batch: object[] = [];
  #count = 0;
  readonly #done: string[] = [];

  add(record: XmlElement): void {
    if (++this.#count > ROWS_MAX) throw new Error("The DMARC report has too many rows");
    const row = readRow(record);
    if (row) this.#batch.push(row);
    if (this.#batch.length >= ROWS_PER_BATCH) this.#flush();
  }

  end(): string[] {
    this.#flush();
    return this.#done;
  }

  #flush(): void {
    if (this.#batch.length > 0) this.#done.push(JSON.stringify(this.#batch));
    this.#batch = [];
  }
}

function readRow(record: XmlElement): object | null {
  const ip = record.at("row", "source_ip");
  const messages = readCount(record.at("row", "count"));
  const headerFrom = domainText(record.at("identifiers", "header_from"));
  if (messages === null || !ipaddr.isValid(ip) || headerFrom === "") return null;
  const evaluated = (name: string) => record.at("row", "policy_evaluated", name);
  return {
    source_ip: ipaddr.process(ip).toString(),
    messages,
    disposition: readDisposition(evaluated("disposition")),
    dkim: passOrFail(evaluated("dkim")),
    spf: passOrFail(evaluated("spf")),
    header_from: headerFrom,
    envelope_from: domainText(record.at("identifiers", "envelope_from")) || null,
    auth: readAuth(record),
    reasons: readReasons(record),
  };
}

function readCount(text: string): number | null {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : MESSAGES_MAX + 1;
  return count <= MESSAGES_MAX ? count : null;
}

function readReasons(record: XmlElement): string[] {
  const reasons = record.find("row", "policy_evaluated")?.all("reason") ?? [];
  return reasons
    .slice(0, RESULTS_PER_ROW_MAX)
    .map((reason) => plainText(reason.at("type").toLowerCase(), 40))
    .filter((reason) => reason !== "");
}

const domainText = (text: string) => plainText(text.toLowerCase(), 253);

/** Some reporters write `Pass` or `pass (policy)`. */
const passOrFail = (text: string): "pass" | "fail" => (/^pass\b/i.test(text) ? "pass" : "fail");

/** RFC 9990 also has `pass`, which amounts to `none`. */
function readDisposition(text: string): "none" | "quarantine" | "reject" {
  const disposition = text.toLowerCase();
  return disposition === "quarantine" || disposition === "reject" ? disposition : "none";
}

function readAuth(record: XmlElement): object[] {
  const results = record.find("auth_results");
  if (!results) return [];
  return (["dkim", "spf"] as const).flatMap((kind) =>
    results
      .all(kind)
      .slice(0, RESULTS_PER_ROW_MAX)
      .map((result) => {
        const selector = kind === "dkim" ? plainText(result.at("selector"), 80) : "";
        return {
          kind,
          domain: domainText(result.at("domain")),
          ...(selector !== "" && { selector }),
          result: plainText(result.at("result").toLowerCase(), 20) || "none",
        };
      }),
  );
}

/** An element's text and its children by name. */
class XmlElement {
  text = "";
  readonly #children = new Map<string, XmlElement[]>();

  add(name: string, child: XmlElement): void {
    const same = this.#children.get(name);
    if (same) same.push(child);
    else this.#children.set(name, [child]);
  }

  all(name: string): XmlElement[] {
    return this.#children.get(name) ?? [];
  }

  /** The first element on the path. */
  find(...path: string[]): XmlElement | undefined {
    const [name, ...rest] = path;
    const [first] = name === undefined ? [] : this.all(name);
    return rest.length === 0 ? first : first?.find(...rest);
  }

  /** The trimmed text of the first element on the path; "" if there is none. */
  at(...path: string[]): string {
    return this.find(...path)?.text.trim() ?? "";
  }
}

const DEPTH_MAX = 12;
const ELEMENTS_PER_SECTION_MAX = 500;
const TEXT_LENGTH_MAX = 1_000;

class XmlError extends Error {
  override name = "XmlError";
}

/**
 * Parses XML in a streaming way: passes each child of the root to `onSection` and then discards it. Names are
 * lowercase and without prefix; text is cut at 1,000 characters. Ignores document types: only XML's five predefined
 * entities are decoded.
 *
 * @throws XmlError if the XML is too deep or a section too large; whatever `onSection` throws
 */
function readSections(xml: string, onSection: (name: string, section: XmlElement) => void): void {
  const open: { name: string; element: XmlElement }[] = [];
  let elements = 0;
  const parser = new Parser(
    {
      onopentagname(tag) {
        if (open.length >= DEPTH_MAX) throw new XmlError("The XML is nested too deeply");
        if (open.length === 1) elements = 0;
        if (++elements > ELEMENTS_PER_SECTION_MAX)
          throw new XmlError("A section of the XML is too large");
        const name = tag.slice(tag.indexOf(":") + 1).toLowerCase();
        open.push({ name, element: new XmlElement() });
      },
      ontext(text) {
        const element = open.at(-1)?.element;
        if (!element || element.text.length >= TEXT_LENGTH_MAX) return;
        element.text = (element.text + text).slice(0, TEXT_LENGTH_MAX);
      },
      onclosetag() {
        const { name, element } = open.pop()!;
        if (open.length === 1) onSection(name, element);
        if (open.length > 1) open.at(-1)!.element.add(name, element);
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  parser.end();
}
