"""RQ jobs: work that a request must not wait for. Results go to `service` as commands."""
