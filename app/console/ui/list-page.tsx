import { Button } from "@mantine/core";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import Link from "next/link";
import { isValidElement, type ReactElement, type ReactNode } from "react";

import type { Topic } from "#app/console/(pages)/help/topics.ts";
import {
  type AnswerOf,
  readUrl,
  type InputOf,
  read,
  type ReadName,
} from "#app/console/console-client.ts";
import { LIST_SETTINGS, queryOf, type QuerySettings } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import { Breadcrumbs, PageHeader } from "./page-header.tsx";
import type { ListLayout } from "./data-table.tsx";
import { EmptyState } from "./panel.tsx";
import { FilterBar, FoldedFilters } from "./filter-bar.tsx";
import { defaultOrder, useListParams } from "./list-params.ts";
import { ListTools } from "./list-tools.tsx";
import { isEmptyList, ListView } from "./list-view.tsx";
import { type RowPage, type PageCursor, usePageCursor } from "./pagination.tsx";
import { isForbidden } from "./query-view.tsx";
import { menuColumn } from "./row-menu.tsx";
import { SearchField } from "./search-field.tsx";
import { type MatchingRows, readMatching } from "./select-all-matching.tsx";
import { byId, type Selection, selectColumn } from "./selection.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { sortRows } from "./sort-rows.ts";
import { anyText, type Filters, type Parsers, useUrlFilters } from "./url-filters.ts";
import { updateSearch, useOpenOnParam } from "./url-search.ts";

/** Endpoints that return rows. */
export type ListName = {
  [N in ReadName]: AnswerOf<N> extends { data: { id: string }[] } ? N : never;
}[ReadName];

export type RowOf<N extends ListName> =
  AnswerOf<N> extends { data: (infer Row extends { id: string })[] } ? Row : never;

type QueryOf<N extends ListName> = NonNullable<InputOf<N>["query"]>;

/** The orders that the endpoint offers; any string for an endpoint that returns the whole list. */
type OrderOf<N extends ListName> = [QueryOf<N>] extends [never]
  ? string
  : QueryOf<N> extends { sort?: infer Order extends string | undefined }
    ? Extract<Order, string>
    : string;

export type ColumnsOf<N extends ListName> = ListLayout<RowOf<N>, OrderOf<N>>["columns"];

/** `onClick` opens a dialog, as `?new` in the URL does. */
type Create = { label: string; needs?: Privilege } & (
  { href: string; onClick?: never } | { href?: never; onClick: () => void }
);

/** Bulk actions for the rows that are selected, on all pages. */
type Bulk<Row extends { id: string }, Chosen = object> = {
  selection: Selection<Row>;
  /** The accessible name of the bar. */
  label: string;
  /** "306 mailboxes" */
  nameCount: (count: number) => string;
  /** The result of the last action. */
  outcome?: string;
  /** The buttons. `chosen` has the rows as they were last read. */
  actions: (chosen: ReadonlyMap<string, Row>) => ReactNode;
  /** Reads the rows on all pages that match the filters. By default, page by page. */
  readAll?: (filters: Chosen) => Promise<MatchingRows<Row>>;
};

type PageOf<Row> = Omit<RowPage, "data"> & { data: Row[] };

const ROWS_PER_PAGE = 20;
const SKELETON_ROWS = 5;

type SearchFilters<P extends Parsers> = Filters<P> & { search?: string };

type ListProps<N extends ListName, P extends Parsers> = Omit<
  ListLayout<RowOf<N>, OrderOf<N>>,
  "label"
> & {
  list: N;
  /** The table's accessible name, if not the page's title. */
  label?: string;
  /** Input of the endpoint, besides the filters, order and page in the URL. */
  input?: Partial<InputOf<N>>;
  settings?: QuerySettings<N>;
  rowsPerPage?: number;
  skeletonRows?: number;
  /** A row's name, for the accessible names of its controls. */
  nameOf?: (row: RowOf<N>) => string;
  /** Placeholder of the search field; no search if omitted. */
  search?: string;
  /** What the search finds, if not `noun`. */
  searchNoun?: string;
  /** Other filters: URL parameters and their parsers. */
  filters?: P;
  /** The filters' controls. */
  controls?: (filters: Filters<P>) => ReactNode;
  /** The endpoint that returns the list as CSV. */
  exports?: ReadName;
  /** Whether the filters, order and columns can be saved as a view. */
  hasViews?: boolean;
  /** For endpoints that return the whole list, which is then sorted in the browser. */
  sortBy?: Record<string, (row: RowOf<N>) => string | number>;
  /** The button that creates a row, in the header or the empty state. */
  create?: Create | ReactElement;
  /** Shown for a list without any rows, with the button that creates one. */
  empty:
    { title: string; children: ReactNode } | ((page: AnswerOf<N>, create: ReactNode) => ReactNode);
  /** A sentence shown when no rows match the filters. */
  noResults?: string;
  /** Whether there are no rows at all, if `data` alone doesn't tell. */
  isEmpty?: (page: AnswerOf<N>) => boolean;
  /** `Menu.Item`s of a row's menu, or null. Its area in `phone` is `menu`. */
  menu?: ((row: RowOf<N>) => ReactNode) | false;
  /** Adds checkboxes, whose area in `phone` is `choose`. */
  bulk?: Bulk<RowOf<N>, SearchFilters<P>> | false;
  /** IDs of rows that are being removed and no longer shown. */
  leaving?: ReadonlySet<string>;
  above?: ReactNode | ((page: AnswerOf<N>) => ReactNode);
  below?: ReactNode | ((page: AnswerOf<N>) => ReactNode);
};

type PageProps<N extends ListName> = {
  title: string;
  /** At most one sentence. */
  description?: ReactNode | ((page: AnswerOf<N> | undefined) => ReactNode);
  help?: Topic;
  trail?: { label: string; href: string }[];
  /** Buttons in the header, beside `create`. */
  actions?: ReactNode;
  /** Dialogs. */
  children?: ReactNode;
};

/** A page that is a list: its header, filters, tools, rows in every state of the query, and pagination. */
export function ListPage<N extends ListName, P extends Parsers = Parsers>({
  title,
  description,
  help,
  trail,
  actions,
  children,
  ...list
}: PageProps<N> & ListProps<N, P>) {
  const state = useListState(list);
  const { query, isNone } = state;
  useCreateOnParam(list.create);
  const create = query.data && !isNone && buttonFor(list.create);
  return (
    <>
      {trail && <Breadcrumbs trail={trail} />}
      <PageHeader
        title={title}
        description={typeof description === "function" ? description(query.data) : description}
        {...(help && { help })}
        action={
          (actions || create) && (
            <>
              {actions}
              {create}
            </>
          )
        }
      />
      <ListWithTools label={title} list={list} state={state} />
      {children}
    </>
  );
}

/** Opens the dialog that creates a row if the URL has `?new`. */
function useCreateOnParam(create: Create | ReactElement | undefined): void {
  const dialog = isValidElement(create) ? undefined : create;
  const mayOpen = useMay(dialog?.needs) && dialog?.onClick !== undefined;
  useOpenOnParam(["new", ""], mayOpen, () => dialog?.onClick?.());
}

/** A list that is a part of a page. */
export const ListSection = <N extends ListName, P extends Parsers = Parsers>(
  list: ListProps<N, P> & { label: string },
) => (
  <section aria-label={list.label}>
    <ListWithTools label={list.label} list={list} state={useListState(list)} />
  </section>
);

/** The list's page, filters and order from the URL, and the query for its rows. */
function useListState<N extends ListName, P extends Parsers>(list: ListProps<N, P>) {
  const { sortBy, isEmpty, rowsPerPage = ROWS_PER_PAGE } = list;
  const place = usePageCursor();
  const search = { ...(list.search !== undefined && { search: anyText }) };
  const filters = useUrlFilters({ ...search, ...list.filters }) as SearchFilters<P>;
  const offered = Object.values(list.columns).flatMap(({ sort }) =>
    sort === undefined ? [] : [sort as string],
  );
  const params = useListParams<string>([defaultOrder(list), ...offered]);
  const { query: fixed, ...target } = list.input ?? {};
  const rows = { ...(fixed as object), ...filters, sort: params.sort || undefined };
  const inputFor = (page: object) =>
    ({ ...target, query: sortBy ? fixed : { ...rows, ...page } }) as unknown as InputOf<N>;
  const query = useQuery(
    queryOf(
      list.list,
      inputFor({ ...place, limit: String(rowsPerPage) }),
      sortBy ? list.settings : { ...LIST_SETTINGS, ...list.settings },
    ),
  ) as UseQueryResult<AnswerOf<N> & PageOf<RowOf<N>>>;
  const isFiltered = Object.keys(filters).length > 0;
  return {
    place,
    filters,
    params,
    query,
    isFiltered,
    isNone: query.data && isEmpty ? isEmpty(query.data) : isEmptyList(query, place, isFiltered),
    all: inputFor({}),
    sorted: sortBy && ((data: RowOf<N>[]) => sortRows(data, params.sort, sortBy)),
    readAll: () =>
      readMatching(
        (page) => read(list.list, inputFor(page)) as unknown as Promise<PageOf<RowOf<N>>>,
      ),
  };
}

type StateProps<N extends ListName, P extends Parsers> = {
  label: string;
  list: ListProps<N, P>;
  state: ReturnType<typeof useListState<N, P>>;
};

function ListWithTools<N extends ListName, P extends Parsers>(props: StateProps<N, P>) {
  const { label, list, state } = props;
  const { bulk, menu, nameOf = idOf, skeletonRows = SKELETON_ROWS } = list;
  const { params, place, query, isNone } = state;
  const layout: ListLayout<RowOf<N>> = {
    ...list,
    label,
    columns: {
      ...(bulk && { choose: selectColumn(bulk.selection, nameOf) }),
      ...list.columns,
      ...(menu && { menu: menuColumn(nameOf, menu) }),
    },
  };
  return (
    <>
      {!isNone && !isForbidden(query) && <Tools {...props} layout={layout} />}
      <ListView
        layout={layout}
        place={place}
        params={params}
        query={query}
        skeletonRows={skeletonRows}
        leaving={list.leaving}
        sorted={state.sorted}
        isFiltered={list.isEmpty ? !isNone : state.isFiltered}
        empty={(page) => <EmptyList list={list} page={page} />}
        above={(page) => (
          <>
            {typeof list.above === "function" ? list.above(page) : list.above}
            {bulk && (
              <BulkBar
                bulk={bulk}
                page={page}
                place={place}
                filters={state.filters}
                readAll={state.readAll}
              />
            )}
          </>
        )}
        below={list.below}
        noResults={list.noResults}
      />
    </>
  );
}

function Tools<N extends ListName, P extends Parsers>({
  list: { search, noun, searchNoun = noun, controls, exports: csv, hasViews = false },
  state: { filters, params, all },
  layout,
}: StateProps<N, P> & { layout: ListLayout<RowOf<N>> }) {
  const shown = controls?.(filters);
  return (
    <FilterBar>
      {search === undefined ? (
        shown
      ) : (
        <>
          <SearchField
            noun={searchNoun}
            placeholder={search}
            value={filters.search ?? ""}
            onSearch={(search) => updateSearch({ search }, "replace")}
          />
          {shown && <FoldedFilters filters={filters}>{shown}</FoldedFilters>}
        </>
      )}
      <ListTools
        layout={layout}
        params={params}
        hasViews={hasViews}
        {...(csv && { exportUrl: readUrl(csv, all as never) })}
      />
    </FilterBar>
  );
}

const idOf = ({ id }: { id: string }) => id;

function EmptyList<N extends ListName, P extends Parsers>({
  list: { empty, create },
  page,
}: {
  list: ListProps<N, P>;
  page: AnswerOf<N>;
}) {
  const button = buttonFor(create);
  if (typeof empty === "function") return empty(page, button);
  return (
    <EmptyState title={empty.title}>
      {empty.children}
      {button && <div>{button}</div>}
    </EmptyState>
  );
}

function BulkBar<Row extends { id: string }, Chosen>({
  bulk: { selection, actions, readAll, ...bar },
  page,
  place,
  filters,
  ...list
}: {
  bulk: Bulk<Row, Chosen>;
  page: PageOf<Row>;
  place: PageCursor;
  filters: Chosen;
  readAll: () => Promise<MatchingRows<Row>>;
}) {
  if (page.data.length === 0 && !bar.outcome) return null;
  // With the latest data of the rows shown.
  const fresh = page.data.filter(({ id }) => selection.chosen.has(id));
  const chosen = new Map([...selection.chosen, ...byId(fresh)]);
  return (
    <SelectionBar
      page={page}
      place={place}
      {...bar}
      readAll={() => readAll?.(filters) ?? list.readAll()}
      selection={{ chosen, setChosen: selection.setChosen }}
    >
      {actions(chosen)}
    </SelectionBar>
  );
}

const buttonFor = (create: Create | ReactElement | undefined) =>
  create === undefined || isValidElement(create) ? create : <CreateButton {...create} />;

function CreateButton(create: Create) {
  if (!useMay(create.needs)) return null;
  if (create.href === undefined) return <Button onClick={create.onClick}>{create.label}</Button>;
  return (
    <Button component={Link} href={create.href}>
      {create.label}
    </Button>
  );
}

function useMay(needs: Privilege | undefined): boolean {
  const { has } = usePrivileges();
  return needs === undefined || has(needs);
}
