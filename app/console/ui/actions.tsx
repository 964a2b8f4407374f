import { Button, Group } from "@mantine/core";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import {
  type AnswerOf,
  change,
  type ChangeName,
  type InputOf,
} from "#app/console/console-client.ts";
import { keyOf, type Queries } from "#app/console/endpoint-queries.ts";
import { isCoveredByDialog } from "#app/console/session-expiry.ts";

import { errorMessage } from "./errors.tsx";
import { onDemand } from "./on-demand.tsx";
import { pageText } from "./texts.tsx";

type Effects<Input, Answer> = {
  /** The queries to refetch. */
  invalidates?: readonly (Queries | QueryKey)[];
  /** The queries to drop, so that they never show stale data first. */
  forgets?: readonly Queries[];
  /** The query that gets the response as its data. */
  stores?: (input: Input) => { queryKey: QueryKey };
  /** Text of the toast. */
  success?: string | ((answer: Answer, input: Input) => string);
  /** Reverts the change; offered in the toast. */
  undo?: (input: Input, answer: Answer) => Promise<unknown>;
  /** Whether `run` resolves only after the refetch, for callers that need the new data. */
  waits?: boolean;
  /** Runs before the refetch. */
  onDone?: (answer: Answer, input: Input) => void;
};

/** A change made by an endpoint: `run({ params, body })` and `start({ params, body })`. See `useAction`. */
export const useChange = <N extends ChangeName>(
  name: N,
  effects: Effects<InputOf<N>, AnswerOf<N>> = {},
) => useAction({ ...effects, call: (input: InputOf<N>) => change(name, input) });

/**
 * A change made by a button. Its feedback doesn't depend on the component: the toast, Undo and the refetch come even if a
 * refetch has removed the row that had the button.
 *
 * @param call calls the endpoint
 * @returns `start` for buttons, which reports errors in a toast; `run` for dialogs that show the error themselves
 */
export function useAction<Input = void, Answer = unknown>({
  call,
  invalidates = [],
  forgets = [],
  stores,
  success,
  undo,
  waits = false,
  onDone,
}: Effects<Input, Answer> & { call: (input: Input) => Promise<Answer> }) {
  const queryClient = useQueryClient();
  const refetch = () =>
    Promise.all(
      invalidates.map((queries) =>
        queryClient.invalidateQueries({
          queryKey: Array.isArray(queries) ? (queries as QueryKey) : keyOf(queries as Queries),
        }),
      ),
    );

  const action = useMutation({
    // With the undo of now: after a refetch, the component's closes over the new values.
    mutationFn: async (input: Input) => ({ answer: await call(input), undo }),
    onSuccess({ answer, undo }, input) {
      for (const queries of forgets) queryClient.removeQueries({ queryKey: keyOf(queries) });
      if (stores) queryClient.setQueryData(stores(input).queryKey, answer);
      if (success !== undefined)
        toast(typeof success === "string" ? success : success(answer, input), {
          ...(undo && { undo: () => void revert(undo(input, answer)) }),
        });
      onDone?.(answer, input);
      const refetched = refetch();
      // Otherwise not awaited: the change is made, and a slow refetch must not keep a dialog open.
      return waits ? refetched : undefined;
    },
    // The change may have been made in part, or by someone else.
    onError: () => void refetch(),
  });

  async function revert(work: Promise<unknown>) {
    try {
      await work;
    } catch (error) {
      toast(pageText("undo.failed", { error: errorMessage(error as Error) }), { isError: true });
    }
    await refetch();
  }

  const start = (input: Input) =>
    void action.mutateAsync(input).catch((thrown: unknown) => {
      const error = thrown as Error;
      if (!isCoveredByDialog(error)) toast(errorMessage(error), { isError: true });
    });

  const run = async (...input: Parameters<typeof action.mutateAsync>) =>
    (await action.mutateAsync(...input)).answer;

  return {
    run,
    start,
    isPending: action.isPending,
    variables: action.variables,
    error: action.error,
    /** What the endpoint answered, until `reset`. */
    answer: action.data?.answer,
    reset: action.reset,
  };
}

const READ_MS = 5_000;
const UNDO_MS = 10_000;

const Notifications = onDemand(() =>
  import("./mantine-on-demand.ts").then((module) => module.Notifications),
);

let wasToasted = false;
const listeners = new Set<() => void>();

function onFirstToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where toasts appear. Loads Mantine's notifications with the first toast. */
export function Toasts() {
  const isNeeded = useSyncExternalStore(
    onFirstToast,
    () => wasToasted,
    () => false,
  );
  return isNeeded && <Notifications position="bottom-right" />;
}

type ToastOptions = { undo?: () => void; isError?: boolean };

/** @param options.undo reverts the action; offered for ten seconds */
export function toast(text: string, options: ToastOptions = {}): void {
  wasToasted = true;
  for (const listener of listeners) listener();
  void show(text, options);
}

async function show(text: string, { undo, isError = false }: ToastOptions): Promise<void> {
  const { notifications } = await import("./mantine-on-demand.ts");
  const id = notifications.show({
    message: (
      <ToastMessage
        text={text}
        {...(undo && {
          onUndo() {
            notifications.hide(id);
            undo();
          },
        })}
      />
    ),
    autoClose: undo || isError ? UNDO_MS : READ_MS,
    ...(isError && { color: "red" }),
    withBorder: true,
    closeButtonProps: { "aria-label": pageText("dismiss") },
  });
}

const ToastMessage = ({ text, onUndo }: { text: string; onUndo?: () => void }) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <span>{text}</span>
    {onUndo && (
      <Button size="xs" variant="default" onClick={onUndo} style={{ flexShrink: 0 }}>
        {pageText("undo")}
      </Button>
    )}
  </Group>
);

/**
 * An optimistic update: shows the change before the server answers. If it fails, rolls it back and says so in a toast.
 * Changes to the same query are sent one at a time, in order, so that the last one wins. The query is refetched after the
 * last answer.
 *
 * @param shown returns the data with `change` applied
 * @returns makes a change; its `onDone` runs even if the component is gone by then
 */
export function useOptimisticUpdate<Data, Change>(
  queryKey: QueryKey,
  send: (change: Change) => Promise<unknown>,
  shown: (now: Data, change: Change) => Data,
) {
  const client = useQueryClient();
  const isLast = () => client.isMutating({ mutationKey: queryKey, exact: true }) === 1;
  const update = useMutation({
    mutationKey: queryKey,
    scope: { id: JSON.stringify(queryKey) },
    mutationFn: send,
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey, exact: true });
      const before = client.getQueryData<Data>(queryKey);
      client.setQueryData<Data>(queryKey, (now) => now && shown(now, change));
      return before;
    },
    onError: (_error, _change, before) => {
      if (isLast()) client.setQueryData(queryKey, before);
    },
    onSettled: async () => {
      if (isLast()) await client.invalidateQueries({ queryKey, exact: true });
    },
  });
  return (change: Change, onDone?: () => void) =>
    void update
      .mutateAsync(change)
      .then(onDone, (error: unknown) => toast(errorMessage(error as Error), { isError: true }));
}
