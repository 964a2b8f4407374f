"use client";

import { Skeleton, Stack, type TitleOrder } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { type Privilege, privilegeLabel } from "#server/universal/privileges.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { useMe } from "#app/console/session.ts";

import { ErrorNotice, LoadError } from "./errors.tsx";

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
    <div role="status" aria-label={`Loading ${noun}`}>
      {skeleton}
    </div>
  );
}

/** A placeholder as high as `count` lines of a description list. */
export function SkeletonLines({ count }: { count: number }) {
  return (
    <Stack gap={20}>
      {Array.from({ length: count }, (_, line) => (
        <Skeleton key={line} height={12} width={`${30 + ((line * 17) % 30)}%`} />
      ))}
    </Stack>
  );
}

/**
 * Shows an error instead of a page that the admin lacks the privilege for. An admin who loses the
 * privilege while the page is open keeps it, and what they typed; the server then rejects the request.
 *
 * @param privilege a privilege, or `operator` for operators only
 * @param action completes "You can't …": "create groups"
 */
export function RequirePrivilege({
  privilege,
  action,
  children,
}: {
  privilege: Privilege | "operator";
  action: string;
  children: ReactNode;
}) {
  const me = useMe();
  const isOperatorPage = privilege === "operator";
  const may = me && (isOperatorPage ? me.isOperator : me.privileges.includes(privilege));
  const [wasAllowed, setWasAllowed] = useState(false);
  if (may && !wasAllowed) setWasAllowed(true);
  if (!me || may || wasAllowed) return children;
  return (
    <ErrorNotice title={`You can’t ${action}`} titleOrder={1}>
      {isOperatorPage
        ? "Only operators of this server can do this."
        : `You need the ${privilegeLabel(privilege)} privilege. Ask an owner of your company for it.`}
    </ErrorNotice>
  );
}
