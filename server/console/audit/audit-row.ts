import { z } from "zod";

import { momentQuery } from "#server/console/moment-query.ts";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { AUDIT_AREA_NAMES } from "#server/core/shared/audit/areas.ts";
import type { AuditEntry, AuditFilter } from "#server/core/shared/audit/list-audit.ts";

import { describeEntry } from "./descriptions/describe-entry.ts";

const ACTOR_KINDS = ["admin", "api_key", "mailbox", "operator", "system"] as const;

const Moment = momentQuery("must be an RFC 3339 timestamp");

export const AuditQuery = z.object({
  actor_kind: z.enum(ACTOR_KINDS).optional(),
  actor: z.string().max(320).optional().describe("Actor, exactly as in the entry"),
  area: z.enum(AUDIT_AREA_NAMES).optional(),
  search: z.string().max(200).optional().describe("Part of the actor, the action or the details"),
  from: Moment.optional(),
  to: Moment.optional().describe("Exclusive"),
});

export const auditFilter = ({
  actor_kind: actorKind,
  ...rest
}: z.output<typeof AuditQuery>): AuditFilter => ({ actorKind, ...rest });

export const AuditRow = z.object({
  id: z.uuid(),
  actor: z.string(),
  actor_kind: z.string(),
  action: z.string().describe("noun.verb_past"),
  description: z.string().describe("What the actor did, in words"),
  details: z.record(z.string(), z.unknown()),
  created_at: z.string(),
});

export function auditRow(entry: AuditEntry): z.input<typeof AuditRow> {
  const { id, actor, actorKind, action, details, createdAt } = entry;
  return {
    ...{ id, actor, action, details, description: describeEntry(action, details) },
    actor_kind: actorKind,
    created_at: consoleTimestamp(createdAt),
  };
}
