import { Skeleton, Stack, type TitleOrder } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ConsoleError } from "#app/console/console-client.ts";

import { LoadError } from "./errors.tsx";
import { Panel } from "./panel.tsx";
import { useTexts } from "./texts.tsx";

/** Access was revoked or the object deleted: cached data must not stay on the page. */
const isGone = (error: Error | null) =>
  error instanceof ConsoleError && [403, 404].includes(error.status);

export const isForbidden = ({ error }: { error: Error | null }) =>
  error instanceof ConsoleError && error.status === 403;

/**
 * Renders a query's data, skeleton or error. Data stays on the page when a refresh fails; the shell
 * reports that (`shell/shell.tsx`).
 *
 * @param noun what is loaded, within a sentence: "the emails"
 * @param skeleton as high as the data will be
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
  /** 1 if this is the whole page, including its title. */
  titleOrder?: TitleOrder;
  children: (data: T) => ReactNode;
}) {
  const text = useTexts();
  if (query.data !== undefined && !isGone(query.error)) return children(query.data);
  // An expired session redirects to sign-in: show no error meanwhile.
  const isRedirecting =
    query.error instanceof ConsoleError && query.error.reason === "not_signed_in";
  if (query.error && !isRedirecting)
    return (
      <LoadError
        noun={noun}
        error={query.error}
        retry={() => void query.refetch()}
        titleOrder={titleOrder}
      />
    );
  return (
    <div role="status" aria-label={text("loading.noun", { noun })} data-skeleton>
      {skeleton}
    </div>
  );
}

/** A placeholder as high as `count` lines of a description list. */
export const SkeletonLines = ({ count }: { count: number }) => (
  <Stack gap={20}>
    {Array.from({ length: count }, (_, line) => (
      <Skeleton key={line} height={12} width={`${30 + ((line * 17) % 30)}%`} />
    ))}
  </Stack>
);

/** A placeholder for a panel with `count` lines. */
export const PanelSkeleton = ({ count }: { count: number }) => (
  <Panel>
    <SkeletonLines count={count} />
  </Panel>
);
