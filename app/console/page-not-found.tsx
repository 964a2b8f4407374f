import Link from "next/link";

import classes from "./page-error.module.css";
import { AuthLayout } from "./ui/wordmark.tsx";

/** Uses plain elements because it is part of every page's bundle. */
export function PageNotFound({ home, label }: { home: string; label: string }) {
  return (
    <AuthLayout>
      <div className={classes.words}>
        <h1>Page not found</h1>
        <p>Check the URL.</p>
        <div className={classes.actions}>
          <Link href={home}>{label}</Link>
        </div>
      </div>
    </AuthLayout>
  );
}
