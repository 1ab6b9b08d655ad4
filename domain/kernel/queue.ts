// A queue of jobs: one function sends them, another one carries each out, at least once.
export interface Queue<Job> {
  /** @param delaySeconds until the job can be received. A queue may cut a long delay short, so a job checks whether it is due. */
  send(job: Job, delaySeconds?: number): Promise<void>;
  /** Sends any number of jobs. @throws Error if a job is not known to be in the queue, once all others are. */
  sendAll(jobs: readonly Job[]): Promise<void>;
}
