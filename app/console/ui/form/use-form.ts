import { useForm as useMantineForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { type FocusEvent, type SubmitEvent, useEffect, useId, useRef, useState } from "react";

import { toast } from "#app/console/ui/actions.tsx";
import { errorMessage } from "#app/console/ui/errors.tsx";
import { useWarnBeforeUnload } from "#app/console/ui/leave-guard.ts";

import type { Check } from "./checks.ts";
import { deleteDraft, isSame, isSecret, readDraft, writeDraft } from "./drafts.ts";
import {
  describeProblem,
  type FieldEntries,
  type FieldErrors,
  fieldErrors,
  type FieldLabels,
  isShownAtFields,
} from "./field-errors.ts";

type Options<Values, Answer> = {
  initialValues: Values;
  /** By path. Fields get these as their labels, and the server's errors about other fields appear below the form. */
  labels: FieldLabels;
  /** Light checks before sending; the server checks everything. */
  checks?: { [Name in keyof Values]?: Check<Values[Name], Values> };
  /**
   * Where unsent input is kept until the tab is closed: a name per form and object. Null for forms that only ask for
   * secrets.
   */
  draft: string | null;
  /** Calls the endpoint; its body's type checks the values. Text has no spaces around it, except passwords. */
  send: (values: Values) => Promise<Answer>;
  /** The lists that fields contain as text, as they are sent. */
  entries?: (values: Values) => FieldEntries;
  /** Path of the object in the body that has the fields, if it isn't the body itself: `figures`. */
  within?: string;
  /** The values to show as saved; what was sent if omitted, null if nothing was stored yet. */
  stored?: (answer: Answer, sent: Values) => Values | null;
  /** Fields that weren't edited show new `initialValues`. For forms that send only `changedValues`. */
  followsServer?: boolean;
  /** Runs even if the form is gone by then. */
  onDone?: (answer: Answer, values: Values) => void;
  /** Empties the form after success, for passwords and for adding to a list. */
  clearsOnDone?: boolean;
  /** The form stays busy after success, because the page changes. */
  leavesPage?: boolean;
};

/**
 * A form that keeps what is typed through errors, an expired session and navigation, marks all invalid fields and
 * focuses the first. Render it with `Form`, and its fields with `{...form.field("name")}`.
 */
export function useForm<Values extends Record<string, unknown>, Answer>({
  initialValues,
  labels,
  checks = {},
  draft,
  send,
  entries,
  within,
  stored,
  followsServer = false,
  onDone,
  clearsOnDone = false,
  leavesPage = false,
}: Options<Values, Answer>) {
  const id = useId();
  const isMounted = useRef(true);
  const isSending = useRef(false);
  // Not the variables of the mutation, whose cache would keep secrets while the form is open.
  const sent = useRef(initialValues);
  const [initial, setInitial] = useState(initialValues);
  const [restored] = useState(() => (draft === null ? null : readDraft(draft, initialValues)));
  const [isRestored, setIsRestored] = useState(restored !== null);
  const [failures, setFailures] = useState(0);

  const sending = useMutation({
    mutationFn: () => send(sent.current),
    onSuccess(answer) {
      const values = sent.current;
      const saved = stored ? stored(answer, values) : values;
      if (saved !== null) showSaved(saved, values);
      onDone?.(answer, values);
    },
    onError(error) {
      if (!isMounted.current) toast(errorMessage(error), { isError: true });
      else mark(error, sent.current);
    },
    onSettled() {
      isSending.current = false;
      sent.current = initialValues;
    },
  });

  const form = useMantineForm<Values>({
    mode: "controlled",
    initialValues,
    validate: (values) => checkedErrors(values, checks, labels),
    onValuesChange(values) {
      if (sending.isSuccess && !leavesPage) sending.reset();
      if (draft !== null) writeDraft(draft, { initial, values });
    },
  });

  function showSaved(saved: Values, sent: Values) {
    setIsRestored(false);
    if (clearsOnDone) form.reset();
    else startFrom(saved, isSame(trimmed(form.getValues()), sent) ? {} : form.getValues());
    if (draft !== null) deleteDraft(draft);
  }

  function startFrom(values: Values, edited: Partial<Values>) {
    setInitial(values);
    form.setInitialValues(values);
    form.resetDirty(values);
    form.setValues({ ...values, ...edited });
  }

  const source = JSON.stringify(initialValues);
  useEffect(() => {
    const latest = JSON.parse(source) as Values;
    if (followsServer && !isSame(latest, initial))
      startFrom(latest, changedValues(form.getValues(), initial));
    // Only when the server has other values.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [source]);

  function fail(errors: FieldErrors) {
    form.setErrors(errors);
    setFailures((count) => count + 1);
  }

  /**
   * Marks the fields that an error is about, also of another request with the form's values, such as a check.
   *
   * @returns whether fields show all of it
   */
  function mark(error: Error, values = form.getValues()): boolean {
    fail(fieldErrors(error, labels, { entries: entries?.(values), ...(within && { within }) }));
    return isShownAtFields(error, labels, within);
  }

  useEffect(() => {
    isMounted.current = true;
    if (restored) form.setValues(restored);
    return () => {
      isMounted.current = false;
    };
    // Only when the form appears.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  useEffect(() => {
    if (failures === 0) return;
    const form = document.getElementById(id);
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures, id]);

  const isDirty = form.isDirty();
  const isDone = sending.isSuccess && leavesPage;
  useWarnBeforeUnload(isDirty && !isDone);

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isSending.current || isDone) return;
    const { hasErrors, errors } = form.validate();
    if (hasErrors) {
      sending.reset();
      fail(errors as FieldErrors);
      return;
    }
    isSending.current = true;
    sent.current = trimmed(form.getValues());
    sending.mutate();
  }

  /** Forgets what was typed. */
  function discard() {
    if (draft !== null) deleteDraft(draft);
    setIsRestored(false);
    sending.reset();
    form.reset();
  }

  /**
   * Call it after a confirmation has stored the values, if `stored` returned null after `send`.
   *
   * @param saved the values to show as saved; those of the form if omitted
   */
  function markSaved(saved?: Values) {
    const values = trimmed(form.getValues());
    showSaved(saved ?? values, values);
  }

  /** Properties of an input: name, label, value, error and handlers. */
  function field<Name extends keyof Values & string>(name: Name) {
    const { onBlur, ...props } = form.getInputProps(name) as InputProps<Values[Name]>;
    return {
      ...props,
      name,
      label: labels[name],
      // Mantine's password field doesn't set it.
      ...(props.error && { "aria-invalid": true as const }),
      onBlur(event: FocusEvent) {
        onBlur(event);
        if (movesToControl(event) || form.errors[name] !== undefined) return;
        // An empty field isn't wrong until the form is sent.
        if (form.isDirty(name) && form.getValues()[name] !== "") form.validateField(name);
      },
    };
  }

  return {
    id,
    field,
    submit,
    discard,
    mark,
    markSaved,
    values: form.values,
    errors: form.errors as FieldErrors,
    set: form.setFieldValue,
    reset: form.reset,
    /** The error that no field shows. */
    error: isShownAtFields(sending.error, labels, within) ? null : sending.error,
    clearError: sending.reset,
    isPending: sending.isPending || isDone,
    isSaved: sending.isSuccess && !isDirty,
    isDirty,
    isRestored,
  };
}

export type ConsoleForm = Pick<
  ReturnType<typeof useForm<Record<string, unknown>, unknown>>,
  "id" | "submit" | "discard" | "errors" | "error" | "isPending" | "isSaved" | "isRestored"
>;

type InputProps<Value> = {
  value: Value;
  defaultValue?: undefined;
  onChange: (change: unknown) => void;
  onFocus: (event: unknown) => void;
  onBlur: (event: unknown) => void;
  error?: string;
};

/** An error that appears during a click would move the clicked button or link away. */
const movesToControl = ({ relatedTarget }: FocusEvent): boolean =>
  relatedTarget instanceof Element && relatedTarget.closest("button, a") !== null;

/** Text as it is sent: without spaces around it, except passwords. */
function trimmed<Values extends Record<string, unknown>>(values: Values): Values {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "string" && !isSecret(name) ? value.trim() : value,
  ]);
  return Object.fromEntries(entries) as Values;
}

function checkedErrors<Values extends Record<string, unknown>>(
  values: Values,
  checks: { [Name in keyof Values]?: Check<Values[Name], Values> },
  labels: FieldLabels,
): FieldErrors {
  const errors: FieldErrors = {};
  for (const name of Object.keys(checks)) {
    const problem = checks[name]?.(values[name] as Values[string], values) ?? null;
    if (problem !== null) errors[name] = describeProblem(labels[name] ?? "", problem);
  }
  return errors;
}

/** The values that differ from those the form started from. */
export function changedValues<Values extends Record<string, unknown>>(
  values: Values,
  initial: Values,
): Partial<Values> {
  const entries = Object.entries(values).filter(([name, value]) => !isSame(value, initial[name]));
  return Object.fromEntries(entries) as Partial<Values>;
}
