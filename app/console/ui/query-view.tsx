"use client";

import { Text, type TitleOrder } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ConsoleError } from "#app/console/console-client.ts";

import { Problem } from "./problem.tsx";

/**
 * The states everything that is read has, shown the same way everywhere. What is there stays there
 * when it could not be refreshed.
 *
 * @param what names it within a sentence: "the emails"
 * @param skeleton as high as what will come
 */
export function QueryView<T>({
  query,
  what,
  skeleton,
  titleOrder = 2,
  children,
}: {
  query: UseQueryResult<T>;
  what: string;
  skeleton: ReactNode;
  /** 1 where it is the whole page, whose title comes with it. */
  titleOrder?: TitleOrder;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined)
    return (
      <>
        {query.isRefetchError && (
          <Text role="status" size="sm" c="dimmed" mb="xs">
            This may be out of date: the last refresh failed.
          </Text>
        )}
        {children(query.data)}
      </>
    );
  // A session that is over leads to the sign-in page: nothing to read in between.
  const isLeaving = query.error instanceof ConsoleError && query.error.reason === "not_signed_in";
  if (query.error && !isLeaving)
    return (
      <Problem
        what={what}
        error={query.error}
        retry={() => void query.refetch()}
        titleOrder={titleOrder}
      />
    );
  return (
    <div role="status" aria-label={`Loading ${what}`}>
      {skeleton}
    </div>
  );
}
