"use client";

import { type ReactNode, useState } from "react";

import { type Privilege, privilegeLabel } from "#server/universal/privileges.ts";
import { useMe } from "#app/console/session.ts";

import { ErrorNotice } from "./errors.tsx";

type RequirePrivilegeProps = {
  privilege: Privilege | "operator";
  action: string;
  children: ReactNode;
};

/**
 * Shows an error instead of a page that the admin lacks the privilege for. An admin who loses the
 * privilege while the page is open keeps it, and what they typed; the server then rejects the request.
 *
 * @param privilege a privilege, or `operator` for operators only
 * @param action completes "You can't …": "create groups"
 */
export function RequirePrivilege({ privilege, action, children }: RequirePrivilegeProps) {
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
