"use client";

import { Button, Text, Title, type TitleOrder } from "@mantine/core";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";

import { ConsoleError } from "#app/console/console-client.ts";

import { CopyButton } from "./copy-button.tsx";
import { failureWords } from "./failure-words.ts";
import classes from "./problem.module.css";

/** In place of what could not be shown: what failed, why, and what can be done. */
export function Problem({
  what,
  error,
  retry,
  titleOrder,
}: {
  what: string;
  error: Error;
  retry: () => void;
  titleOrder: TitleOrder;
}) {
  const isOfOperators = usePathname().startsWith("/console/operate/");
  if (error instanceof ConsoleError && error.reason === "invalid_permission")
    return (
      <ProblemWords title={`You may not see ${what}`} order={titleOrder}>
        {failureWords(error)}
      </ProblemWords>
    );
  if (error instanceof ConsoleError && error.status === 404)
    return (
      <ProblemWords title={error.message} order={titleOrder}>
        {isOfOperators
          ? "It does not exist, or it was deleted. Check the address."
          : "It does not exist in your company, or it was deleted. Check the address."}
      </ProblemWords>
    );
  const reached = error instanceof ConsoleError;
  return (
    <ProblemWords title={`Could not load ${what}`} order={titleOrder}>
      {failureWords(error)}
      <span className={classes.actions}>
        <Button variant="default" onClick={retry}>
          Try again
        </Button>
        {reached && error.requestId && (
          <Text component="span" size="sm" c="dimmed" className={classes.request}>
            <span>Request</span>
            <code>{error.requestId}</code>
            <CopyButton value={error.requestId} what="request id" />
          </Text>
        )}
      </span>
    </ProblemWords>
  );
}

/** A title and what is to be known about it, where something else was to be. */
export function ProblemWords({
  title,
  order,
  children,
}: {
  title: string;
  order: TitleOrder;
  children: ReactNode;
}) {
  return (
    <div role="alert" className={classes.problem}>
      <Title order={order}>{title}</Title>
      <Text component="div" c="dimmed">
        {children}
      </Text>
    </div>
  );
}
