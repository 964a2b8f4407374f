"use client";

import { Anchor, Button, Text, Title, type TitleOrder } from "@mantine/core";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";

import { ConsoleError, NoAnswerInTime } from "#app/console/console-client.ts";
import { PasskeyFailure } from "#app/console/passkeys.ts";
import { isCoveredByDialog } from "#app/console/session-expiry.ts";

import { CopyButton } from "./code.tsx";
import classes from "./errors.module.css";
import { fieldErrors } from "./form/field-errors.ts";
import { updateSearch } from "./url-search.ts";
import { pageText, useTexts } from "./texts.tsx";

/** What went wrong and what to do, for the admin. */
export function errorMessage(error: Error): string {
  if (error instanceof ConsoleError) return `${error.message}.`;
  if (error instanceof PasskeyFailure) return error.message;
  if (error instanceof PopUpBlocked) return pageText("error.popUp");
  return pageText(error instanceof NoAnswerInTime ? "error.timeout" : "error.offline");
}

/** A form's error, unless it belongs to one of its fields. */
export function FormError({ error }: { error: Error | null }) {
  if (!error || isCoveredByDialog(error)) return null;
  const requestId = error instanceof ConsoleError && error.status >= 500 && error.requestId;
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {errorMessage(error)}
      {requestId && ` ${pageText("request.id")}: ${requestId}`}
    </Text>
  );
}

/** The error of a field, for forms without `useForm`. */
export const fieldError = (error: Error | null, field: string, label: string): string | null =>
  fieldErrors(error, { [field]: label })[field] ?? null;

/** @param noun what failed to load, within a sentence: "the emails" */
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
  const text = useTexts();
  const path = usePathname();
  const isOperatorPage = path.startsWith("/console/operate/");
  if (error instanceof ConsoleError && error.reason === "invalid_permission")
    return (
      <ErrorNotice title={text("load.forbidden", { noun })} titleOrder={titleOrder}>
        {errorMessage(error)}
      </ErrorNotice>
    );
  if (error instanceof ConsoleError && error.status === 404)
    return (
      <ErrorNotice title={error.message} titleOrder={titleOrder}>
        {isOperatorPage ? "It may have been deleted. Check the URL." : text("load.missing")}
        {/^\/console\/(domains|groups|mailboxes)\/[^/]+$/.test(path) && (
          <>
            {" "}
            If it was deleted, an owner may be able to restore it from the{" "}
            <Anchor component={Link} href="/console/deleted" underline="always">
              Deleted
            </Anchor>{" "}
            page.
          </>
        )}
      </ErrorNotice>
    );
  if (isStalePage(error)) return <StalePage titleOrder={titleOrder} />;
  return (
    <ErrorNotice title={text("load.failed", { noun })} titleOrder={titleOrder}>
      {errorMessage(error)}
      <span className={classes.actions}>
        <Button variant="default" onClick={retry}>
          {text("retry")}
        </Button>
        {error instanceof ConsoleError && error.requestId && (
          <Text component="span" size="sm" c="dimmed" className={classes.request}>
            <span>{text("request.id")}</span>
            <code>{error.requestId}</code>
            <CopyButton value={error.requestId} label={text("request.copied")} />
          </Text>
        )}
      </span>
    </ErrorNotice>
  );
}

/** The row that a page of a list continues from may be gone. */
const isStalePage = (error: Error) =>
  error instanceof ConsoleError &&
  error.status === 422 &&
  /[?&](after|before)=/.test(window.location.search);

function StalePage({ titleOrder }: { titleOrder: TitleOrder }) {
  return (
    <ErrorNotice title="This page no longer exists" titleOrder={titleOrder}>
      Its rows were deleted or no longer match the filters.
      <span className={classes.actions}>
        <Button variant="default" onClick={() => updateSearch({})}>
          Go to first page
        </Button>
      </span>
    </ErrorNotice>
  );
}

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

/** The browser didn't open a window. */
export class PopUpBlocked extends Error {
  override name = "PopUpBlocked";
}
