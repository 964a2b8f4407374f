"use client";

import type { TitleOrder } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ConsoleError } from "#app/console/console-client.ts";

import { LoadError } from "./load-error.tsx";

/** What was there may no longer be seen, or was deleted: the server said so, and it goes from the page. */
const isGone = (error: Error | null) =>
  error instanceof ConsoleError && [403, 404].includes(error.status);

/** Nothing of it may be seen: then there is nothing to filter either. */
export const isForbidden = ({ error }: { error: Error | null }) =>
  error instanceof ConsoleError && error.status === 403;

/**
 * The states everything that is read has, shown the same way everywhere. What is there stays there
 * when it could not be refreshed, which the shell says (`shell/connection.tsx`).
 *
 * @param what names it within a sentence: "the emails"
 * @param skeleton as high as what will come
 */
export function QueryView<T>({
  query,
  noun,
  skeleton,
  titleOrder = 2,
  children,
}: {
  query: UseQueryResult<T>;
  noun: string;
  skeleton: ReactNode;
  /** 1 where it is the whole page, whose title comes with it. */
  titleOrder?: TitleOrder;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined && !isGone(query.error)) return children(query.data);
  // A session that is over leads to the sign-in page: nothing to read in between.
  const isLeaving = query.error instanceof ConsoleError && query.error.reason === "not_signed_in";
  if (query.error && !isLeaving)
    return (
      <LoadError
        noun={noun}
        error={query.error}
        retry={() => void query.refetch()}
        titleOrder={titleOrder}
      />
    );
  return (
    <div role="status" aria-label={`Loading ${noun}`}>
      {skeleton}
    </div>
  );
}
