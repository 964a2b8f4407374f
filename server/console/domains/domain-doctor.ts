import { z } from "zod";

import { RecordKind } from "./domain-row.ts";

/** A piece of a compared text: in both texts, or only in the expected or the found one. */
const Piece = z.object({ text: z.string(), mark: z.enum(["same", "missing", "extra"]) });

const RecordProblem = z.object({
  code: z.string(),
  record: RecordKind.nullable().describe("Null if the problem concerns the whole domain"),
  severity: z.enum(["error", "warning"]),
  title: z.string(),
  explanation: z.string(),
  steps: z.array(z.string()),
  difference: z
    .object({ expected: z.array(Piece), found: z.array(Piece) })
    .nullable()
    .describe("Character diff between the expected and the found value"),
});

const DnsProvider = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string().describe("Its page for the domain's records, or its start page"),
  fields: z
    .object({ host: z.string(), value: z.string() })
    .describe("What its form calls the host and the value"),
  steps: z.array(z.string()),
  takes_full_names: z.boolean(),
  apex: z.string().describe("Host field value for the zone itself"),
  wants_quotes: z.boolean().describe("TXT values need quotes around each string"),
  wants_final_dot: z.boolean().describe("Hostname values need a trailing dot"),
});

export const DomainDoctor = z.object({
  problems: z.array(RecordProblem),
  provider: z.string().nullable().describe("ID of the detected provider"),
  providers: z.array(DnsProvider),
  zone_file: z.string().describe("The records in zone file format (RFC 1035, 5)"),
});
