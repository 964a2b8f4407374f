import { z } from "zod";

import { RecordKind } from "./domain-row.ts";

/** A stretch of a text beside another one: in both, only here, or only there. */
const Piece = z.object({ text: z.string(), mark: z.enum(["same", "missing", "extra"]) });

const RecordProblem = z.object({
  code: z.string(),
  record: RecordKind.nullable().describe("Null: it is about the domain as a whole"),
  severity: z.enum(["error", "warning"]),
  title: z.string(),
  explanation: z.string(),
  steps: z.array(z.string()),
  difference: z
    .object({ expected: z.array(Piece), found: z.array(Piece) })
    .nullable()
    .describe("What should stand there beside what does, character by character"),
});

const DnsProvider = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string().describe("Where its customers sign in"),
  steps: z.array(z.string()),
  takes_full_names: z.boolean(),
  apex: z.string().describe("What is entered as host for the zone itself"),
  wants_quotes: z.boolean().describe("TXT values are entered with quotes around each string"),
  wants_final_dot: z.boolean().describe("Host names as values are entered with a dot at the end"),
});

export const DomainDoctor = z.object({
  problems: z.array(RecordProblem),
  provider: z.string().nullable().describe("Id of the one that was recognised"),
  providers: z.array(DnsProvider),
  zone_file: z.string().describe("The records as lines of a zone file (RFC 1035, 5)"),
});
