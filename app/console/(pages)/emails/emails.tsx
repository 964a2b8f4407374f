"use client";

import { Anchor, Button, Group, Loader, Text } from "@mantine/core";
import { IconArrowUp, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";

import { readUrl } from "#app/console/console-client.ts";
import { meQuery, usePrivileges } from "#app/console/session.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { dateFormatter, pluralize } from "#app/console/ui/format.ts";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";

import { curlSnippet } from "./email-code.ts";
import { EMAIL_LIST, hiddenColumns } from "./email-columns.tsx";
import { EmailFilterBar } from "./email-filters.tsx";
import { useEmailSearch, usePinnedRows } from "./email-rows.ts";
import { parseEmailFilters, ROWS_PER_PAGE, toListQuery } from "./queries.ts";

export function Emails() {
  const place = useStablePlace();
  const search = useSearchParams();
  const filters = useMemo(() => parseEmailFilters(search), [search]);
  const params = useListParams(TIME_SORTS);
  const { sort } = params;
  const { query, listKey, page, search: progress } = useEmailSearch(place, filters, sort);
  const pinned = usePinnedRows(listKey, page.data);

  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = query.isSuccess && isFirstPage(place) && !isFiltered && page.data.length === 0;
  const table = { layout: EMAIL_LIST, hidden: hiddenColumns(params.hidden, filters) };
  return (
    <>
      <PageHeader
        title="Emails"
        help="first-email"
        description="Emails your company sends through the API and the console."
        action={!query.isLoadingError && !isEmpty && <ComposeButton />}
      />
      {!isEmpty && !isForbidden(query) && (
        <EmailFilterBar filters={filters}>
          <ListTools
            layout={EMAIL_LIST}
            params={params}
            exportUrl={readUrl("emails.export", { query: { ...toListQuery(filters), sort } })}
            hasViews
          />
        </EmailFilterBar>
      )}
      <QueryView
        query={query}
        noun="the emails"
        skeleton={<DataTableSkeleton {...table} rows={ROWS_PER_PAGE} />}
      >
        {() => {
          if (isEmpty) return <NoEmails />;
          return (
            <>
              <EmailListStatus
                progress={progress}
                isNewestFirst={sort === "-created"}
                waiting={pinned.waiting}
                onShow={pinned.showAll}
              />
              <div ref={pinned.list}>
                {pinned.rows.length > 0 && <DataTable {...table} rows={pinned.rows} sort={sort} />}
              </div>
              {pinned.rows.length === 0 && isFirstPage(place) && (
                <NoMatchingEmails isSearching={progress.isSearching} />
              )}
              <Pagination
                cursor={place}
                page={{ ...page, data: pinned.rows }}
                isPlaceholder={
                  query.isPlaceholderData || progress.isSearching || progress.isStopped
                }
                isStale={query.isPlaceholderData}
              />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function NoMatchingEmails({ isSearching }: { isSearching: boolean }) {
  if (!isSearching) return <NoResults noun="emails" />;
  return (
    <EmptyState title="No matching emails yet">
      <Text>Still searching other emails…</Text>
    </EmptyState>
  );
}

/** Returns the same object until the page position in the URL changes, as hook dependencies need it. */
function useStablePlace() {
  const { after, before } = usePageCursor();
  return useMemo(() => (after ? { after } : before ? { before } : {}), [after, before]);
}

type Progress = {
  isSearching: boolean;
  isStopped: boolean;
  at: string | null;
  stop: () => void;
  resume: () => void;
};

const formatDate = dateFormatter({ dateStyle: "long" });

/** The line above the list: search progress, and a button that shows new emails. Just as high when empty. */
function EmailListStatus({
  progress,
  isNewestFirst,
  waiting,
  onShow,
}: {
  progress: Progress;
  isNewestFirst: boolean;
  waiting: number;
  onShow: () => void;
}) {
  return (
    <Group justify="space-between" gap="8px 16px" mih={30} mb="xs">
      <SearchProgress {...progress} isNewestFirst={isNewestFirst} />
      <span role="status">
        {waiting > 0 && (
          <Button
            size="xs"
            variant="light"
            leftSection={<IconArrowUp size={14} />}
            onClick={onShow}
          >
            Show {pluralize(waiting, "new email")}
          </Button>
        )}
      </span>
    </Group>
  );
}

function SearchProgress({
  isSearching,
  isStopped,
  at,
  stop,
  resume,
  isNewestFirst,
}: Progress & { isNewestFirst: boolean }) {
  if (!isSearching && !isStopped)
    return (
      <Text size="sm" c="dimmed">
        {isNewestFirst ? "Newest first." : "Oldest first."} Updates automatically.
      </Text>
    );
  const direction = isNewestFirst ? "back to" : "up to";
  const back = at === null ? "" : ` ${direction} ${formatDate(new Date(at))}`;
  return (
    <Group gap="xs" role="status">
      {isSearching && <Loader size={14} aria-hidden="true" />}
      <Text size="sm">
        {isSearching ? `Searching${back}…` : `Search stopped. Searched${back}.`}
      </Text>
      <Button size="compact-xs" variant="default" onClick={isSearching ? stop : resume}>
        {isSearching ? "Stop search" : "Continue search"}
      </Button>
    </Group>
  );
}

/** Shown until the company has sent its first email. */
function NoEmails() {
  const me = useQuery(meQuery);
  const { has } = usePrivileges();
  if (!me.data) return null;
  if (!has("api_controls"))
    return (
      <EmptyState title="No emails yet">
        <Text>Sent emails appear here automatically, with their delivery history.</Text>
      </EmptyState>
    );
  const domain = me.data.company.sendingDomain;
  const code = curlSnippet(window.location.origin, {
    from: `Hello <hello@${domain ?? "your-domain.example"}>`,
    to: me.data.email,
    subject: "Hello from Posthouse",
    text: "It works.",
  });
  return (
    <EmptyState title="Send your first email">
      <Text>
        Emails you send appear here automatically, with their delivery history. Compose one in the
        console, or set <code>POSTHOUSE_API_KEY</code> to an{" "}
        <Anchor component={Link} underline="always" href="/console/api-keys">
          API key
        </Anchor>{" "}
        and run this command in a terminal:
      </Text>
      {domain === null && (
        <Text>
          You need a verified domain to send emails.{" "}
          <Anchor component={Link} underline="always" href="/console/domains?new">
            Create a domain
          </Anchor>
          , then replace your-domain.example with it.
        </Text>
      )}
      <CodeBlock code={code} label="curl command" />
      <Group>
        <ComposeButton />
        <Anchor component={Link} href="/console/emails?mode=test">
          Show test emails
        </Anchor>
      </Group>
    </EmptyState>
  );
}

function ComposeButton() {
  if (!usePrivileges().has("api_controls")) return null;
  return (
    <Button component={Link} href="/console/emails/new" leftSection={<IconPencil size={14} />}>
      Compose email
    </Button>
  );
}
