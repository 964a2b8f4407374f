import { Button, Text } from "@mantine/core";
import { useState } from "react";

import { FormError } from "./errors.tsx";
import { isFirstPage, type RowPage, type PageCursor } from "./pagination.tsx";
import { byId } from "./selection.tsx";

/** The limit of a bulk action. */
const ROWS_MAX = 1_000;
const ROWS_PER_REQUEST = 100;

export type MatchingRows<Row> = { data: Row[]; hasMore: boolean };
type Page<Row> = MatchingRows<Row> & { searchedTo?: { id: string } | null };

/**
 * Selects the rows on all pages, for a bulk action. Offered once all rows of a page are selected and there are more.
 *
 * @param nameCount "306 mailboxes"
 * @param read reads the rows, up to the limit of a bulk action
 */
export function SelectAllMatching<Row extends { id: string }>({
  page,
  place,
  chosen,
  nameCount,
  read,
  onChoose,
}: {
  page: RowPage;
  place: PageCursor;
  chosen: ReadonlyMap<string, Row>;
  nameCount: (count: number) => string;
  read: () => Promise<MatchingRows<Row>>;
  onChoose: (chosen: ReadonlyMap<string, Row>) => void;
}) {
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [isCut, setIsCut] = useState(false);

  async function handleClick() {
    if (isReading) return;
    setIsReading(true);
    setError(null);
    try {
      const { data, hasMore: isMore } = await read();
      setIsCut(isMore);
      onChoose(byId(data));
    } catch (failure) {
      setError(failure as Error);
    }
    setIsReading(false);
  }

  const total = page.counts?.total;
  const isPaged = page.hasMore || !isFirstPage(place);
  const isAll = page.data.length > 0 && page.data.every(({ id }) => chosen.has(id));
  const isOffered = isAll && isPaged && chosen.size < (total ?? Infinity);
  return (
    <>
      {isOffered && (
        <Button variant="subtle" size="xs" aria-busy={isReading} onClick={() => void handleClick()}>
          {total === undefined ? "Select all matching" : `Select all ${nameCount(total)}`}
        </Button>
      )}
      {isCut && (
        <Text size="sm" c="dimmed" role="status">
          Only the first 1,000 are selected.
        </Text>
      )}
      <FormError error={error} />
    </>
  );
}

/** Reads the first rows of a list page by page, also where a search continues after an incomplete page. */
export async function readMatching<Row extends { id: string }>(
  readPage: (page: { limit: string; after?: string }) => Promise<Page<Row>>,
): Promise<MatchingRows<Row>> {
  const data: Row[] = [];
  let after: string | undefined;
  while (data.length < ROWS_MAX) {
    const page = await readPage({ limit: String(ROWS_PER_REQUEST), ...(after && { after }) });
    data.push(...page.data);
    after = page.searchedTo?.id ?? (page.hasMore ? page.data.at(-1)?.id : undefined);
    if (after === undefined) return { data, hasMore: false };
  }
  return { data: data.slice(0, ROWS_MAX), hasMore: true };
}
