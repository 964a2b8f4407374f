"use client";

import { Button, Menu, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { type ReactNode, useState } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { type RowPage, type PageCursor, usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { CopyItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { SelectionBar } from "#app/console/ui/selection-bar.tsx";
import { selectColumn, type Selection, useSelection } from "#app/console/ui/selection.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { anyText, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import { countMessages, DecisionDialog, reasons, verbFor, verbs } from "./decision-dialog.tsx";
import {
  type Decision,
  type DecisionOutcome,
  type QuarantineFilters,
  quarantineQuery,
  type QuarantineRow,
  readMatchingMessages,
  type Reason,
} from "./queries.ts";

const HEAD = {
  title: "Quarantine",
  sentence: "Incoming messages kept from mailboxes. Posthouse deletes them after 30 days.",
  help: "spam",
} as const;

const SKELETON_ROWS = 20;

export function Quarantine() {
  const place = usePageCursor();
  const filters = useUrlFilters({ reason: oneOf(reasons), search: anyText });
  const params = useListParams(TIME_SORTS);
  const held = useQuery(quarantineQuery(place, filters, params.sort));
  const selection = useSelection<QuarantineRow>();
  const [asked, setAsked] = useState<Asked | null>(null);
  const layout = quarantineList(selection, (decision, message) =>
    setAsked({ decision, messages: [message] }),
  );

  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = isEmptyList(held, place, isFiltered);
  return (
    <>
      <PageHeader {...HEAD} />
      {!isEmpty && !isForbidden(held) && (
        <QuarantineFilterBar filters={filters}>
          <ListTools layout={layout} params={params} />
        </QuarantineFilterBar>
      )}
      <ListView
        {...{ layout, place, params, isFiltered }}
        query={held}
        skeletonRows={SKELETON_ROWS}
        empty={<NoQuarantinedMessages />}
        above={(page) => (
          <QuarantineBulkActions
            {...{ page, place, selection, asked }}
            readAll={() => readMatchingMessages(filters, params.sort)}
            onAsk={setAsked}
          />
        )}
      />
    </>
  );
}

/** What the open dialog is about. */
export type Asked = { decision: Decision; messages: QuarantineRow[] };

function NoQuarantinedMessages() {
  return (
    <EmptyState title="No messages in quarantine">
      <Text c="dimmed">
        Likely spam, messages with viruses, and group posts awaiting a moderator are kept here. They
        aren’t delivered until someone releases them. Messages with a lower spam score go to the
        recipient’s Junk folder instead.
      </Text>
      <Text c="dimmed">
        rspamd detects spam and viruses. Run <code>posthouse doctor</code> on the server to check
        that it is working.
      </Text>
    </EmptyState>
  );
}

const quarantineList = (
  selection: Selection<QuarantineRow>,
  onDecide: (decision: Decision, message: QuarantineRow) => void,
): ListLayout<QuarantineRow> => ({
  noun: "messages",
  label: "Quarantined messages",
  columns: [
    selectColumn(selection, (message) => `${message.subject || "message"} from ${nameOf(message)}`),
    {
      area: "from",
      header: "From",
      kind: "name",
      width: "minmax(0, 4fr)",
      cell: (message) => (
        <ListRowLink href={`/console/quarantine/${message.id}`} title={message.sender}>
          {nameOf(message)}
        </ListRowLink>
      ),
    },
    {
      area: "subject",
      header: "Subject",
      kind: "text",
      width: "minmax(0, 5fr)",
      cell: ({ subject }) => subject || "(no subject)",
    },
    {
      area: "to",
      header: "To",
      kind: "text",
      width: "minmax(0, 4fr)",
      isOptional: true,
      canHide: true,
      cell: ({ recipients }) =>
        `${recipients[0] ?? ""}${recipients.length > 1 ? ` +${recipients.length - 1}` : ""}`,
    },
    {
      area: "reason",
      header: "Reason",
      kind: "status",
      width: "104px",
      cell: ({ reason }) => <Status {...reasons[reason]} />,
    },
    {
      area: "quarantined",
      header: "Quarantined",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      (message) => `${message.subject || "message"} from ${nameOf(message)}`,
      (message) => (
        <>
          {(["release", "delete"] as const).map((decision) => (
            <Menu.Item key={decision} onClick={() => onDecide(decision, message)}>
              {verbFor(decision, message.reason)} message
            </Menu.Item>
          ))}
          <CopyItem value={message.sender}>Copy sender</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"choose from menu" auto ". subject reason" auto ". quarantined quarantined" auto
    / 20px minmax(0, 1fr) auto`,
});

const nameOf = ({ from, sender }: QuarantineRow) => from || sender || "(no sender)";

const SKELETON_LIST = quarantineList(
  { chosen: new Map(), setChosen: () => {}, choose: () => {} },
  () => {},
);

/** Shown until the URL's search parameters are known. */
export function QuarantineSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={SKELETON_LIST} rows={SKELETON_ROWS} />
    </>
  );
}

/** Releases or deletes the selected messages, which may be on other pages, or the one whose menu was used. */
function QuarantineBulkActions({
  page,
  place,
  readAll,
  selection,
  asked,
  onAsk,
}: {
  page: Omit<RowPage, "data"> & { data: QuarantineRow[] };
  place: PageCursor;
  /** Reads the messages on all pages. */
  readAll: () => ReturnType<typeof readMatchingMessages>;
  selection: Selection<QuarantineRow>;
  /** Null while the dialog is closed. */
  asked: Asked | null;
  onAsk: (asked: Asked | null) => void;
}) {
  const [outcome, setOutcome] = useState("");
  // Kept while the dialog closes.
  const [shown, setShown] = useState(asked);
  if (asked !== null && asked !== shown) setShown(asked);
  const messages = [...selection.chosen.values()];
  const finish = (decided: DecisionOutcome) => {
    setOutcome(describeOutcome(asked!.decision, decided));
    onAsk(null);
    selection.setChosen(new Map());
  };
  return (
    <>
      <SelectionBar
        {...{ page, place, selection, readAll, outcome }}
        label="Bulk actions"
        nameCount={countMessages}
      >
        {(["release", "delete"] as const).map((decision) => (
          <Button
            key={decision}
            variant="default"
            size="xs"
            onClick={() => {
              setOutcome("");
              onAsk({ decision, messages });
            }}
          >
            {verbs[decision].quarantined}
          </Button>
        ))}
      </SelectionBar>
      <DecisionDialog
        messages={shown?.messages ?? []}
        decision={asked?.decision ?? null}
        onClose={() => onAsk(null)}
        onDone={finish}
      />
    </>
  );
}

function describeOutcome(decision: Decision, { done, gone }: DecisionOutcome): string {
  const what = `${countMessages(done)} ${decision === "release" ? "released" : "deleted"}`;
  if (gone.length === 0) return `${what}.`;
  return `${what}. Recipients that no longer exist: ${[...new Set(gone)].join(", ")}.`;
}

/** Search and reason filter, kept in the URL. Admins who see only group posts get no reason filter. */
function QuarantineFilterBar({
  filters,
  children,
}: {
  filters: QuarantineFilters;
  /** Tools, on the right. */
  children: ReactNode;
}) {
  const current = useSearchParams();
  const { reason, search = "" } = filters;
  const privileges = usePrivileges();
  const seesPosts = privileges.has("update_users") && privileges.has("manage_groups");
  const offered: Reason[] = seesPosts ? ["spam", "virus", "moderation"] : ["spam", "virus"];
  return (
    <FilterBar>
      <SearchField
        noun="quarantined messages"
        placeholder="Sender, subject, or recipient"
        value={search}
        onSearch={(search) => updateSearch({ search }, "replace")}
      />
      {privileges.has("update_users") && (
        <FilterChips label="Reason">
          <FilterChip
            label="All"
            href={changedSearch(current, { reason: "" })}
            isActive={!reason}
          />
          {offered.map((one) => (
            <FilterChip
              key={one}
              label={reasons[one].label}
              href={changedSearch(current, { reason: one })}
              isActive={one === reason}
            />
          ))}
        </FilterChips>
      )}
      {children}
    </FilterBar>
  );
}
