#include "engine/index/posting_list.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ctxmgr::engine {
namespace {

using Postings = std::vector<std::pair<std::uint32_t, float>>;

PostingList list_of(const Postings& postings) {
  PostingList list;
  for (const auto& [chunk, frequency] : postings) list.append(chunk, frequency);
  return list;
}

Postings read_from(PostingList::Reader reader) {
  Postings read;
  for (; !reader.done(); reader.next()) read.emplace_back(reader.chunk(), reader.frequency());
  return read;
}

Postings every(std::uint32_t step, std::uint32_t count) {
  Postings postings;
  for (std::uint32_t i = 0; i < count; ++i) postings.emplace_back(i * step, static_cast<float>(1 + i % 300));
  return postings;
}

TEST(PostingListTest, GivesBackWhatWasAppended) {
  const Postings postings{{0, 1.0F}, {1, 300.0F}, {70'000, 2.0F}, {4'000'000'000U, 16'000'000.0F}};
  EXPECT_EQ(read_from(PostingList::Reader(list_of(postings))), postings);
  EXPECT_TRUE(PostingList::Reader(PostingList()).done());
  EXPECT_EQ(PostingList().count(0, 10), 0U);
}

TEST(PostingListTest, TakesTwoBytesForMostPostings) {
  const auto list = list_of(every(100, 10'000));
  EXPECT_LT(list.bytes(), 10'000U * 5);  // room to grow, and one place in 64
}

RC_GTEST_PROP(PostingListPropertyTest, SeeksAndCountsAsAPlainListDoes, ()) {
  Postings postings;
  std::uint32_t chunk = 0;
  const auto count = *rc::gen::inRange(0, 400);
  for (int i = 0; i < count; ++i) {
    chunk += *rc::gen::inRange<std::uint32_t>(1, 300);
    postings.emplace_back(chunk, static_cast<float>(*rc::gen::inRange(1, 200)));
  }
  const auto list = list_of(postings);
  RC_ASSERT(list.size() == postings.size());
  PostingList::Reader reader(list);
  const auto at_or_after = [&postings](std::uint32_t wanted) {
    return std::lower_bound(postings.begin(), postings.end(), std::pair{wanted, 0.0F});
  };
  for (int i = 0; i < 20; ++i) {  // forward and back
    const auto wanted = *rc::gen::inRange<std::uint32_t>(0, chunk + 10);
    reader.seek(wanted);
    RC_ASSERT(read_from(reader) == Postings(at_or_after(wanted), postings.end()));
    const auto last = wanted + *rc::gen::inRange<std::uint32_t>(0, chunk + 10);
    RC_ASSERT(list.count(wanted, last) == static_cast<std::size_t>(at_or_after(last) - at_or_after(wanted)));
  }
}

}  // namespace
}  // namespace ctxmgr::engine
