"use client";

import { Button, Text, Title, type TitleOrder } from "@mantine/core";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";

import { ConsoleError } from "#app/console/console-client.ts";

import { CopyButton } from "./copy-button.tsx";
import { errorMessage } from "./error-message.ts";
import classes from "./load-error.module.css";

/** In place of what could not be shown: what failed, why, and what can be done. */
export function LoadError({
  noun,
  error,
  retry,
  titleOrder,
}: {
  noun: string;
  error: Error;
  retry: () => void;
  titleOrder: TitleOrder;
}) {
  const isOfOperators = usePathname().startsWith("/console/operate/");
  if (error instanceof ConsoleError && error.reason === "invalid_permission")
    return (
      <ErrorNotice title={`You may not see ${noun}`} titleOrder={titleOrder}>
        {errorMessage(error)}
      </ErrorNotice>
    );
  if (error instanceof ConsoleError && error.status === 404)
    return (
      <ErrorNotice title={error.message} titleOrder={titleOrder}>
        {isOfOperators
          ? "It does not exist, or it was deleted. Check the address."
          : "It does not exist in your company, or it was deleted. Check the address."}
      </ErrorNotice>
    );
  const reached = error instanceof ConsoleError;
  return (
    <ErrorNotice title={`Could not load ${noun}`} titleOrder={titleOrder}>
      {errorMessage(error)}
      <span className={classes.actions}>
        <Button variant="default" onClick={retry}>
          Try again
        </Button>
        {reached && error.requestId && (
          <Text component="span" size="sm" c="dimmed" className={classes.request}>
            <span>Request</span>
            <code>{error.requestId}</code>
            <CopyButton value={error.requestId} label="request id" />
          </Text>
        )}
      </span>
    </ErrorNotice>
  );
}

/** A title and what is to be known about it, where something else was to be. */
export function ErrorNotice({
  title,
  titleOrder,
  children,
}: {
  title: string;
  titleOrder: TitleOrder;
  children: ReactNode;
}) {
  return (
    <div role="alert" className={classes.problem}>
      <Title order={titleOrder}>{title}</Title>
      <Text component="div" c="dimmed">
        {children}
      </Text>
    </div>
  );
}
