"use client";

import { useEffect, useRef, useState } from "react";

import { type DomainDetail, useVerifyDomain } from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";

import { isSetUp } from "./set-up-steps.ts";

const INTERVAL_S = 40;

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
  const [seconds, setSeconds] = useState(INTERVAL_S);
  const hasBegun = useRef(false);
  const { isPending, mutate } = verify;
  const isAutomatic = mayCheck && !isSetUp(domain) && left > 0;

  const check = (isAsked: boolean) => {
    setIsRequested(isAsked);
    setSeconds(INTERVAL_S);
    mutate();
  };

  useEffect(() => {
    if (!mayCheck || domain.checked_at !== null || hasBegun.current) return;
    hasBegun.current = true;
    mutate();
  }, [mayCheck, domain.checked_at, mutate]);

  useEffect(() => {
    if (!isAutomatic || isPending) return;
    const timer = setTimeout(() => {
      if (document.hidden) return setSeconds((now) => Math.max(1, now - 1));
      if (seconds > 1) return setSeconds(seconds - 1);
      setLeft((count) => count - 1);
      check(false);
    }, 1000);
    return () => clearTimeout(timer);
    // A tick starts the next one; a check resets the countdown.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isAutomatic, isPending, seconds]);

  return {
    mayCheck,
    isChecking: isPending,
    /** Until the next automatic check; null if there is none. */
    secondsLeft: isAutomatic ? seconds : null,
    /** Of a check on request; the page shows what automatic ones find. */
    error: isRequested ? verify.error : null,
    check: () => {
      if (isPending) return;
      setLeft(AUTOMATIC_MAX);
      check(true);
    },
  };
}

export type RecordChecks = ReturnType<typeof useRecordChecks>;
