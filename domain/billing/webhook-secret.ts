// The secret by which the payment provider signs its events. It is shown once, when the destination is made.

export type WebhookSecret = {
  /** Of the destination that it belongs to: after that was made anew, an older secret is of no use. */
  destinationId: string;
  signingSecret: string;
};

export interface WebhookSecretStore {
  /** None if nothing was put yet. */
  get(): Promise<WebhookSecret | undefined>;
  put(secret: WebhookSecret): Promise<void>;
}
