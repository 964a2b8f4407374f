"use client";

import { Anchor, Skeleton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";

import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { ExactMoment, RelativeMoment } from "#app/console/ui/moment.tsx";
import { inPlace } from "#app/console/ui/show-search.ts";
import { useRowKeys } from "#app/console/ui/use-row-keys.ts";

import { ACTOR_KINDS, addressOf } from "./audit-filters.ts";
import classes from "./audit-list.module.css";
import { sentenceOf } from "./audit-sentences.ts";
import { type AuditFilters, type AuditRow, ROWS_PER_PAGE } from "./queries.ts";

/** Who did what, one entry a row; each opens where it stands, with all that was written down. */
export function AuditList({ entries, filters }: { entries: AuditRow[]; filters: AuditFilters }) {
  const list = useRowKeys<HTMLUListElement>();
  return (
    <ul ref={list} className={classes.list} aria-label="Changes, newest first">
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} filters={filters} />
      ))}
    </ul>
  );
}

function Entry({ entry, filters }: { entry: AuditRow; filters: AuditFilters }) {
  const [isOpen, setIsOpen] = useState(false);
  const detailId = useId();
  return (
    <li className={classes.entry}>
      <button
        type="button"
        className={classes.row}
        data-row-link
        aria-expanded={isOpen}
        aria-controls={detailId}
        onClick={() => setIsOpen(!isOpen)}
      >
        <IconChevronRight size={14} className={classes.mark} aria-hidden="true" />
        <span className={classes.sentence}>
          <span className={classes.actor}>{actorOf(entry)}</span>{" "}
          {sentenceOf(entry.action, entry.details)}
        </span>
        <span className={classes.moment}>
          <RelativeMoment at={entry.created_at} />
        </span>
      </button>
      <div id={detailId} hidden={!isOpen} className={classes.detail}>
        {isOpen && <Detail entry={entry} filters={filters} />}
      </div>
    </li>
  );
}

function Detail({ entry, filters }: { entry: AuditRow; filters: AuditFilters }) {
  const only = addressOf({ ...filters, actor: entry.actor, actor_kind: entry.actor_kind });
  return (
    <>
      <div className={classes.facts}>
        <span>
          <ExactMoment at={entry.created_at} />
        </span>
        <span>{ACTOR_KINDS[entry.actor_kind] ?? entry.actor_kind}</span>
        <code>{entry.action}</code>
        <Anchor href={only} onClick={inPlace(only)} size="sm">
          Only by {entry.actor}
        </Anchor>
      </div>
      <CodeBlock
        code={JSON.stringify({ id: entry.id, ...entry.details }, null, 2)}
        what="the details of this entry"
      />
    </>
  );
}

const actorOf = ({ actor, actor_kind }: AuditRow) =>
  actor_kind === "system" ? "The system" : actor_kind === "operator" ? `Operator ${actor}` : actor;

export function AuditListSkeleton() {
  return (
    <div className={classes.list}>
      {Array.from({ length: ROWS_PER_PAGE }, (_, row) => (
        <div key={row} className={classes.entry}>
          <div className={classes.row}>
            <span />
            <Skeleton height={12} width={`${45 + ((row * 13) % 40)}%`} />
            <Skeleton height={12} width={88} />
          </div>
        </div>
      ))}
    </div>
  );
}
