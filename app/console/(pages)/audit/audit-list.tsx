import { Anchor, Skeleton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useId, useState } from "react";

import type { AnswerOf, InputOf } from "#app/console/console-client.ts";
import { usePrivileges } from "#app/console/session.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { changedSearch, navigateInPlace } from "#app/console/ui/url-search.ts";
import { useRowShortcuts } from "#app/console/ui/use-row-shortcuts.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import classes from "./audit.module.css";

type AuditRow = AnswerOf<"audit.list">["data"][number];

type ActorKind = NonNullable<NonNullable<InputOf<"audit.list">["query"]>["actorKind"]>;

export const ACTOR_KINDS: Record<ActorKind, { label: string }> = {
  admin: { label: "Admins" },
  api_key: { label: "API keys" },
  mailbox: { label: "Mailbox users" },
  operator: { label: "Operators" },
  system: { label: "System" },
};

const ACTOR_LABELS: Record<string, { label: string } | undefined> = ACTOR_KINDS;

export function AuditList({ entries }: { entries: AuditRow[] }) {
  const list = useRowShortcuts<HTMLUListElement>();
  return (
    <ul ref={list} className={classes.list} aria-label="Audit log entries">
      {entries.map((entry) => (
        <AuditEntryRow key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

function AuditEntryRow({ entry }: { entry: AuditRow }) {
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
          <span className={classes.actor}>{actorName(entry)}</span> {entry.description}
        </span>
        <span className={classes.moment}>
          <RelativeTime at={entry.createdAt} />
        </span>
      </button>
      <div id={detailId} hidden={!isOpen} className={classes.detail}>
        {isOpen && <AuditEntryDetails entry={entry} />}
      </div>
    </li>
  );
}

function AuditEntryDetails({ entry }: { entry: AuditRow }) {
  const { actor, actorKind } = entry;
  return (
    <>
      <div className={classes.facts}>
        <span>
          <ExactTime at={entry.createdAt} />
        </span>
        <span>{ACTOR_LABELS[actorKind]?.label ?? actorKind}</span>
        <code>{entry.action}</code>
        <Anchor
          component={Link}
          href={changedSearch(useSearchParams(), { actor, actorKind })}
          prefetch={false}
          onNavigate={navigateInPlace({ actor, actorKind })}
          size="sm"
        >
          Show only changes by {actor}
        </Anchor>
        <SubjectLinks entry={entry} />
      </div>
      <CodeBlock
        code={JSON.stringify({ id: entry.id, ...entry.details }, null, 2)}
        label="entry details"
      />
    </>
  );
}

/** To the object of the entry, and to all changes to it. */
function SubjectLinks({ entry }: { entry: AuditRow }) {
  const { has } = usePrivileges();
  const subject = entrySubject(entry.details);
  if (!subject) return null;
  const { name, page } = subject;
  const history = `?${new URLSearchParams({ search: name }).toString()}`;
  return (
    <>
      <Anchor
        component={Link}
        href={history}
        prefetch={false}
        onNavigate={navigateInPlace(history)}
        size="sm"
      >
        Show all changes to {name}
      </Anchor>
      {page && has(page.needs) && (
        <Anchor component={Link} href={page.href} size="sm">
          Open {name}
        </Anchor>
      )}
    </>
  );
}

const actorName = ({ actor, actorKind }: AuditRow) =>
  actorKind === "system" ? "System" : actorKind === "operator" ? `Operator ${actor}` : actor;

export const AuditListSkeleton = ({ rows }: { rows: number }) => (
  <div className={classes.list}>
    {Array.from({ length: rows }, (_, row) => (
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

type Details = AuditRow["details"];

/** What an entry is about. */
export type EntrySubject = {
  /** Also finds the other entries about it. */
  name: string;
  page?: { href: string; needs: Privilege };
};

const PAGES: { detail: string; path: string; needs: Privilege }[] = [
  { detail: "mailbox", path: "/console/mailboxes", needs: "view_users" },
  { detail: "group", path: "/console/groups", needs: "view_groups" },
];

const NAMES = ["name", "email", "address", "endpoint"];

/** Null for entries that name nothing. */
export function entrySubject(details: Details): EntrySubject | null {
  for (const { detail, path, needs } of PAGES) {
    const name = nameIn(details, detail);
    if (name) return { name, page: { href: `${path}/${encodeURIComponent(name)}`, needs } };
  }
  const name = NAMES.map((detail) => nameIn(details, detail)).find((text) => text !== "");
  return name === undefined ? null : { name };
}

function nameIn(details: Details, detail: string): string {
  const value = details[detail];
  return typeof value === "string" ? value : "";
}
