// What a completion queue's tags point at.

#ifndef SCATTERD_SERVER_QUEUE_EVENT_H_
#define SCATTERD_SERVER_QUEUE_EVENT_H_

namespace scatterd {

// Every tag on the server's queue is a QueueEvent*; the poller calls Complete
// once for each time that gRPC gives the tag back.
class QueueEvent {
 public:
  virtual void Complete(bool ok) = 0;

 protected:
  ~QueueEvent() = default;
};

// An event that calls a member function of its owner, which may delete the
// owner and the event with it.
template <typename Owner>
class MemberEvent final : public QueueEvent {
 public:
  using Method = void (Owner::*)(bool ok);

  MemberEvent(Owner* owner, Method method) : owner_(owner), method_(method) {}

  void Complete(bool ok) override { (owner_->*method_)(ok); }

 private:
  Owner* const owner_;
  const Method method_;
};

}  // namespace scatterd

#endif  // SCATTERD_SERVER_QUEUE_EVENT_H_
