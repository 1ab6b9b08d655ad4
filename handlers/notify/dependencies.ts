// What the mailing of notices works with; wiring.ts brings the real ones.
import type { NotificationDependencies } from "../../domain/spending/notification.ts";

export type NotifyDependencies = NotificationDependencies;
