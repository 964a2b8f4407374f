"use client";

import { type ReactNode, useState } from "react";

import { privilegeText } from "#app/console/(pages)/team/privilege-text.ts";
import { useMe } from "#app/console/rights.ts";

import { ErrorNotice } from "./load-error.tsx";

/**
 * A page that is of no use without a right: a form that would be refused, or what only operators do. Who
 * lacks it is told so instead. The server decides all the same, and says so to who lost it meanwhile: what
 * that person has typed stays.
 *
 * @param privilege the privilege that is needed, or `operator` for whoever runs this Posthouse
 * @param to what it would let one do, within a sentence: "make groups"
 */
export function RequirePrivilege({
  privilege,
  action,
  children,
}: {
  privilege: string;
  action: string;
  children: ReactNode;
}) {
  const me = useMe();
  const isOfOperators = privilege === "operator";
  const may = me && (isOfOperators ? me.is_operator : me.privileges.includes(privilege));
  const [wasLet, setWasLet] = useState(false);
  if (may && !wasLet) setWasLet(true);
  if (!me || may || wasLet) return children;
  return (
    <ErrorNotice title={`You may not ${action}`} titleOrder={1}>
      {isOfOperators
        ? "Only operators of this Posthouse may do this."
        : `You lack the privilege ${privilegeText(privilege).name}. Ask an owner of your company for it.`}
    </ErrorNotice>
  );
}
