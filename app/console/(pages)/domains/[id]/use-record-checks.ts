"use client";

import { useEffect, useRef, useState } from "react";

import { type DomainDetail, useVerifyDomain } from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";

import { isSetUp } from "./set-up-steps.ts";

const INTERVAL_MS = 40_000;

/** Half an hour: a page that is left open doesn't query DNS for days. */
const AUTOMATIC_MAX = 45;

/**
 * Checks of a domain's records: on request and, until the domain is set up, every 40 seconds while the page is visible.
 * A domain that was never checked is checked at once.
 */
export function useRecordChecks(domain: DomainDetail) {
  const verify = useVerifyDomain(domain.id);
  const mayCheck = usePrivileges().has("domains");
  const [isRequested, setIsRequested] = useState(false);
  const [left, setLeft] = useState(AUTOMATIC_MAX);
  const [now, setNow] = useState(() => Date.now());
  const [dueAt, setDueAt] = useState(() => Date.now() + INTERVAL_MS);
  const hasBegun = useRef(false);
  const { isPending, mutate } = verify;
  const isAutomatic = mayCheck && !isSetUp(domain) && left > 0;

  const check = (isAsked: boolean) => {
    setIsRequested(isAsked);
    setNow(Date.now());
    setDueAt(Date.now() + INTERVAL_MS);
    mutate();
  };

  useEffect(() => {
    if (!mayCheck || domain.checkedAt !== null || hasBegun.current) return;
    hasBegun.current = true;
    mutate();
  }, [mayCheck, domain.checkedAt, mutate]);

  useEffect(() => {
    if (!isAutomatic || isPending) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() < dueAt || document.hidden) return;
      clearInterval(timer);
      setLeft((count) => count - 1);
      check(false);
    }, 1000);
    return () => clearInterval(timer);
    // A check sets the next one's time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isAutomatic, isPending, dueAt]);

  return {
    mayCheck,
    isChecking: isPending,
    /** Until the next automatic check; null if there is none. */
    secondsLeft: isAutomatic ? Math.max(1, Math.ceil((dueAt - now) / 1000)) : null,
    /** Error of a requested check; the page shows what automatic ones find. */
    error: isRequested ? verify.error : null,
    check: () => {
      if (isPending) return;
      setLeft(AUTOMATIC_MAX);
      check(true);
    },
  };
}

export type RecordChecks = ReturnType<typeof useRecordChecks>;
